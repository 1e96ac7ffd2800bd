import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { listNpmPackages } from "../../../core/builds/packages/packages.ts";
import type { BuildSandbox } from "../build-sandbox.ts";
import { bundleScript } from "./bundle.ts";
import { collectDeclarations } from "./declarations.ts";
import { installNpmPackages } from "./npm-install.ts";
import { listPackageFolders, selectUnbundledPackages } from "./unbundled-packages.ts";

/**
 * Installs the packages and bundles the script. Packages that cannot be bundled (native addons, WebAssembly) are copied to the artefact's
 * `node_modules`; a script that begins with `//nobundling` has all of its packages copied. Returns the lock. Throws `BuildFailure`.
 */
export async function buildJavascript(request: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  const dir = join(sandbox.dir, "packages");
  const dependencies = listNpmPackages(request.files, request.dependencies?.entries);
  const hasPackages = Object.keys(dependencies).length > 0;
  const lock = hasPackages ? await installNpmPackages(dir, dependencies, request, sandbox) : "";
  const folders = hasPackages ? await listPackageFolders(join(dir, "node_modules")) : [];
  const all = /^(\/\/.*\n)*\/\/\s*nobundling\b/.test(request.files[request.entry] ?? "");
  const { external, kept } = await selectUnbundledPackages(folders, all);
  const installed = new Set(folders.map(({ path }) => path.replace(/^node_modules\//, "")));
  await bundleScript(request, { dir, external, installed }, sandbox);
  if (hasPackages) await keepDeclarations(dir, request, sandbox);
  for (const folder of kept) await cp(join(dir, folder), join(sandbox.out, folder), { recursive: true, dereference: false, force: false });
  // Deno finds node_modules only next to a package.json.
  if (kept.length > 0) await writeFile(join(sandbox.out, "package.json"), JSON.stringify({ type: "module", dependencies }));
  return lock;
}

/** Keeps the declarations of the packages for the editor of scripts. */
async function keepDeclarations(dir: string, { files }: BuildRequest, sandbox: BuildSandbox): Promise<void> {
  const { files: declarations, omitted } = await collectDeclarations(dir, files);
  for (const name of omitted)
    sandbox.log.line(`The editor shows no types of ${name}, because its declarations are too large or incomplete.`);
  if (Object.keys(declarations).length > 0) await writeFile(sandbox.declarations, JSON.stringify(declarations));
}
