import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { BUILT_FOLDERS, type Bundle, bundleAll, isInterpreter, RECORD } from "./bundle.ts";

/**
 * The folders of `dist/` with bundles, one for each kind of asset, so that a synthesis for one purpose does not change assets that another one
 * is about to deploy: for an engine that runs functions as processes (`.`), for a check of the template, for containers, and for AWS.
 */
const assetFolders = [".", "checked", "containers", "aws"] as const;
type AssetFolder = (typeof assetFolders)[number];

interface Bundled {
  sources: string;
  bundles: Bundle[];
}

/**
 * Bundles as `bundleAll` does, unless the folder contains the bundles of the same sources: bundling takes 30 s of processor time. Copies them if
 * the folder of another kind of asset contains them. `sources` is a digest of all files from which bundles are made. The caller holds the lock of
 * syntheses: until the copy is complete, files are missing.
 */
export async function bundleOnce(root: string, folder: AssetFolder, sources: string): Promise<Bundle[]> {
  const out = join(root, "dist", folder);
  for (const other of [out, ...assetFolders.map((each) => join(root, "dist", each))]) {
    const found = readBundles(other, sources);
    if (found) return other === out ? found : writeRecord(out, sources, copyBundles(other, found, out));
  }
  return writeRecord(out, sources, await bundleAll(root, out));
}

function writeRecord(out: string, sources: string, bundles: Bundle[]): Bundle[] {
  writeFileSync(join(out, RECORD), JSON.stringify({ sources, bundles }));
  return bundles;
}

function copyBundles(from: string, bundles: readonly Bundle[], out: string): Bundle[] {
  // An interrupted copy leaves files of both sources behind.
  rmSync(join(out, RECORD), { force: true });
  for (const folder of BUILT_FOLDERS) {
    rmSync(join(out, folder), { recursive: true, force: true });
    if (!existsSync(join(from, folder))) continue;
    cpSync(join(from, folder), join(out, folder), { recursive: true, filter: (path) => !isInterpreter(relative(from, path)) });
  }
  return bundles.map((bundle) => ({ ...bundle, directory: join(out, relative(from, bundle.directory)) }));
}

const isComplete = ({ directory, runtime }: Bundle): boolean =>
  existsSync(join(directory, runtime === "python" ? "handler.py" : "index.mjs"));

/** Returns the bundles in a folder if they are complete and were made from `sources`. */
function readBundles(folder: string, sources: string): Bundle[] | undefined {
  try {
    const record: Bundled = JSON.parse(readFileSync(join(folder, RECORD), "utf8"));
    return record.sources === sources && record.bundles.every(isComplete) ? record.bundles : undefined;
  } catch {
    return undefined;
  }
}
