import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
    const entries = await unpackTar(gunzipSync(readPackage()));
    for (const { header, data } of entries) {
      const file = join(out, "unpacked", header.name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, data ?? new Uint8Array(), { mode: header.mode });
    }
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const printed = execFileSync("npm", args, {
      cwd: join(out, "unpacked/package"),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [packed] = Object.values(JSON.parse(printed) as Record<string, { files: { path: string; mode: number }[] }>);
    expect(entries.map(({ header }) => header.name.replace(/^package\//, "")).sort()).toEqual(packed?.files.map(({ path }) => path).sort());
    expect(packed?.files.find(({ path }) => path === "dist/svc.mjs")?.mode).toBe(0o755);
  });

  it("has equal bytes for equal sources", async () => {
    const before = readPackage();
    await packCli(out);
    expect(readPackage().equals(before)).toBe(true);
  });
});
