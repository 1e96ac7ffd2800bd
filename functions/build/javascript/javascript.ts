import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { listNpmPackages } from "../../../core/builds/packages.ts";
import type { BuildRoom } from "../build-room.ts";
import { bundle } from "./bundle.ts";
import { installNpmPackages } from "./npm-install.ts";
import { packageFolders, unbundledPackages } from "./unbundled-packages.ts";

/**
 * Packages, then one bundle. Packages that cannot be bundled (native addons, WebAssembly) stay as they are in the artefact's `node_modules`;
 * a script that begins with `//nobundling` keeps all of its packages so.
 */
export async function buildJavascript(request: BuildRequest, room: BuildRoom): Promise<string> {
  const dir = join(room.dir, "packages");
  const dependencies = listNpmPackages(request.files);
  const hasPackages = Object.keys(dependencies).length > 0;
  const lock = hasPackages ? await installNpmPackages(dir, dependencies, request, room) : "";
  const folders = hasPackages ? await packageFolders(join(dir, "node_modules")) : [];
  const all = /^(\/\/.*\n)*\/\/\s*nobundling\b/.test(request.files[request.entry] ?? "");
  const { external, kept } = await unbundledPackages(folders, all);
  const installed = new Set(folders.map(({ path }) => path.replace(/^node_modules\//, "")));
  await bundle(request, { dir, external, installed }, room);
  for (const folder of kept) await cp(join(dir, folder), join(room.out, folder), { recursive: true, dereference: false, force: false });
  // Deno looks for node_modules only beside a package.json.
  if (kept.length > 0) await writeFile(join(room.out, "package.json"), JSON.stringify({ type: "module", dependencies }));
  return lock;
}
