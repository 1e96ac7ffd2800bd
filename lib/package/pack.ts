import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import type { Bundle } from "../compute/bundles/bundle.ts";
import { ESBUILD_FILES } from "../compute/bundles/interpreters.ts";
import { PYTHON_PINS } from "../compute/bundles/tools.ts";
import { ASSETS, ESBUILD, LIST, type PackedBundles } from "./assets.ts";

/** Packages of the user's app: two copies of CDK cannot share a tree of constructs. */
const PEERS = ["aws-cdk-lib", "constructs"] as const;

interface Manifest {
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  devDependencies: Record<string, string>;
}

/**
 * Writes the package with the construct, without its types: JavaScript, because Node.js runs no TypeScript in `node_modules`, and the bundles of the
 * functions, because the sources of their packages are not installed in the user's app.
 */
export async function writePackage(root: string, out: string, bundles: readonly Bundle[]): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const assets = join(out, ASSETS);
  // A checkout may have put the interpreters of its machine into the bundles.
  for (const { kind, name, directory } of bundles)
    cpSync(directory, join(assets, kind, name), {
      recursive: true,
      filter: (source) => !/^(bin|node_modules)$/.test(relative(directory, source)),
    });
  const copy = (from: string, to: string) => cpSync(join(root, from), join(assets, to));
  for (const file of ["package.json", PYTHON_PINS]) copy(file, file);
  for (const file of ESBUILD_FILES) copy(`node_modules/esbuild/${file}`, `${ESBUILD}/${file}`);
  await build({
    absWorkingDir: root,
    entryPoints: ["lib/index.ts"],
    outfile: join(out, "index.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.14",
    external: [...PEERS],
    legalComments: "none",
    logLevel: "warning",
  });
  const list: PackedBundles = { digest: digestOf(out), bundles: bundles.map(({ directory, ...bundle }) => bundle) };
  writeFileSync(join(assets, LIST), `${JSON.stringify(list)}\n`);
  writeManifest(root, out);
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(`${relative(folder, path)}\0`).update(readFileSync(path));
  return hash.digest("hex").slice(0, 16);
}

function writeManifest(root: string, out: string): void {
  const { version, description, license, engines, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Manifest;
  const manifest = {
    name: "svc",
    ...{ version, description, license, engines },
    type: "module",
    exports: { ".": { types: "./types/lib/index.d.ts", default: "./index.mjs" } },
    files: ["index.mjs", "types", ASSETS],
    peerDependencies: Object.fromEntries(PEERS.map((name) => [name, `^${devDependencies[name]}`])),
  };
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
}
