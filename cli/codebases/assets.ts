import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { packTar } from "modern-tar";
import { toInnerPath } from "../../core/sync/config/codebase.ts";
import { isInside } from "../project/links.ts";
import { BundleFailure, type BundleSource } from "./bundle.ts";

/** The folder of installed packages. */
const PACKAGES = "node_modules";

/** Reads the assets of a codebase by their paths in the archive. Folders are read recursively, without hidden files. Throws `BundleFailure`. */
export function readAssets({ root, file, codebase }: BundleSource): Map<string, Uint8Array> {
  const realRoot = realpathSync(root);
  const files = new Map<string, Uint8Array>();
  const fail = (message: string): never => {
    throw new BundleFailure([{ file, message }]);
  };
  const read = (from: string, to: string, parents: readonly string[]): void => {
    const realPath = realpathSync(join(root, from));
    // The bundle is uploaded, so a link must not publish a file of another folder.
    if (!isInside(realRoot, realPath)) fail(`The asset ${from} is a link that leads out of the folder of svc.yaml.`);
    if (isHidden(realRoot, realPath)) fail(`The asset ${from} is a hidden file, so no bundle may contain it.`);
    if (parents.includes(realPath)) fail(`The asset ${from} is a link to a folder that contains it.`);
    if (statSync(realPath).isDirectory()) {
      const names = readdirSync(realPath).filter((name) => !isHidden(realRoot, join(realPath, name)));
      for (const name of names.sort()) read(`${from}/${name}`, to === "" ? name : `${to}/${name}`, [...parents, realPath]);
      return;
    }
    if (to === "") fail(`The asset ${from} is a file, so its \`to\` must name one.`);
    if (files.has(to)) fail(`Two assets have the place ${to} in the bundle. Change the \`to\` of one.`);
    files.set(to, readFileSync(realPath));
  };
  for (const { from, to } of codebase.assets ?? []) read(toInnerPath(from) ?? from, toInnerPath(to) ?? to, []);
  return files;
}

/** Returns whether a part of a path below the root is hidden, such as `.env` and `.svc`. Packages may contain hidden files. */
function isHidden(realRoot: string, realPath: string): boolean {
  const parts = relative(realRoot, realPath).split(sep);
  const outerParts = parts.includes(PACKAGES) ? parts.slice(0, parts.indexOf(PACKAGES)) : parts;
  return outerParts.some((part) => part.startsWith("."));
}

/** Packs files to an archive. Equal files produce equal bytes. */
export function packFiles(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return packTar(sorted.map(([name, body]) => ({ header: { name, size: body.length, mtime: new Date(0), mode: 0o644 }, body })));
}
