import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { bundleFormatOf, computeBundleDigest, findBundledLanguage } from "../../core/sync/config/codebase.ts";
import type { Codebase } from "../../core/sync/config/config.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { packFiles, readAssets } from "./assets.ts";
import { type Bundle, BundleFailure, type BundleSource, MAIN } from "./bundle.ts";
import { runCustomBundler } from "./custom-bundler.ts";
import { runEsbuild } from "./esbuild.ts";

/** The form also contains other fields than the bundle, such as the source and the schema. */
const MOST_BYTES = limits.requestBodyBytes - 64 * 1024;

/** Bundles a script of a codebase. Equal sources produce equal bytes. Throws `BundleFailure`. */
export async function bundleScript(root: string, item: SyncItem, file: string, codebase: Codebase): Promise<Bundle> {
  const language = findBundledLanguage(item);
  if (language === undefined) throw new Error(`${file} cannot be bundled.`);
  const source: BundleSource = { root, file, codebase, format: bundleFormatOf(codebase, language) };
  const { files, format, ...rest } = await (codebase.customBundler === undefined ? runEsbuild(source) : runCustomBundler(source));
  for (const [name, bytes] of readAssets(source)) {
    if (files.has(name))
      throw new BundleFailure([{ file, message: `The asset ${name} would replace a file of the bundle. Change its \`to\`.` }]);
    files.set(name, bytes);
  }
  const tar = files.size > 1 || (codebase.assets ?? []).length > 0;
  const bytes = new Uint8Array(tar ? await packFiles(files) : (files.get(MAIN) ?? []));
  if (bytes.length > MOST_BYTES) {
    const size = (bytes.length / 1024 / 1024).toFixed(1);
    const message = `The bundle has ${size} MB, and the service accepts less than 4 MB. Import fewer packages, or load large files at run time.`;
    throw new BundleFailure([{ file, message }]);
  }
  return { digest: computeBundleDigest(bytes, { format, tar }), bytes, tar, ...defined({ format }), ...rest };
}
