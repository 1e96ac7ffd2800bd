import * as z from "zod";
import type { RunnerLanguage } from "../../contract/languages.ts";
import { readTar, type TarFile, TarProblem } from "./tar.ts";

/** Code that its author has bundled, which runs unchanged. */
export const bundleSchema = z.object({
  /** The digest of the uploaded file. */
  sha256: z.string(),
  /** The file is a tar archive with `main.js`. Otherwise it is that source. */
  tar: z.boolean(),
  /** If the format is absent, it is read from the source. */
  format: z.enum(["cjs", "esm"]).optional(),
});
export type Bundle = z.infer<typeof bundleSchema>;

/** The languages whose runners load a bundle. Deno resolves modules differently. */
export const runsBundles = (runner: RunnerLanguage | undefined): runner is "bun" | "nodejs" => runner === "bun" || runner === "nodejs";

/** The source of a bundle, and the file by which runners load it. */
export const BUNDLE_MAIN = "main.js";
export const BUNDLE_ENTRY = "main.mjs";

/** Returns the files of a bundle. Throws `TarProblem`. */
export function readBundleFiles(uploaded: Uint8Array, { tar }: Pick<Bundle, "tar">): TarFile[] {
  if (!tar) return [{ path: BUNDLE_MAIN, bytes: uploaded }];
  const files = readTar(uploaded);
  if (!files.some(({ path }) => path === BUNDLE_MAIN)) throw new TarProblem(`it does not contain ${BUNDLE_MAIN}`);
  if (files.some(({ path }) => path === BUNDLE_ENTRY))
    throw new TarProblem(`it contains ${BUNDLE_ENTRY}, a name that the service uses itself`);
  return files;
}
