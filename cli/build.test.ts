import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackPackage } from "../test/support/cli/unpack-package.ts";
import { packCli } from "./build.ts";

let out: string;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "svc-cli-pack-"));
  await packCli(out);
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

const readPackage = () => readFileSync(join(out, "svc-cli.tgz"));

describe("the package that deployments serve", () => {
  it("contains exactly the files that npm packs, and an executable program", async () => {
    const names = await unpackPackage(readPackage(), join(out, "unpacked"));
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const printed = execFileSync("npm", args, {
      cwd: join(out, "unpacked"),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [packed] = Object.values(JSON.parse(printed) as Record<string, { files: { path: string; mode: number }[] }>);
    expect(names.sort()).toEqual(packed?.files.map(({ path }) => path).sort());
    expect(packed?.files.find(({ path }) => path === "dist/svc.mjs")?.mode).toBe(0o755);
  });

  it("has equal bytes for equal sources", async () => {
    const before = readPackage();
    await packCli(out);
    expect(readPackage().equals(before)).toBe(true);
  });
});
