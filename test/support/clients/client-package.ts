import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../../engine/paths.ts";

const run = promisify(execFile);

/** Packs the TypeScript client as publishing it would, in a copy, and installs it: a folder with `node_modules/svc-client`, and the packed paths. */
export async function installTypescriptClient(): Promise<{ dir: string; files: string[] }> {
  const dir = mkdtempSync(join(tmpdir(), "svc-client-package-"));
  const source = join(dir, "source/clients/typescript");
  cpSync(join(root, "clients/typescript"), source, { recursive: true, filter: (path) => !/\/(dist|test)$/.test(path) });
  cpSync(join(root, "tsconfig.json"), join(dir, "source/tsconfig.json"));
  symlinkSync(join(root, "node_modules"), join(dir, "source/node_modules"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", dir], { cwd: source });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string; files: { path: string }[] }];
  const target = join(dir, "node_modules/svc-client");
  mkdirSync(target, { recursive: true });
  await run("tar", ["-xzf", join(dir, packed.filename), "-C", target, "--strip-components", "1"]);
  // Deno resolves packages only next to a package.json that lists them.
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module", dependencies: { "svc-client": "*" } }));
  return { dir, files: packed.files.map(({ path }) => path).sort() };
}
