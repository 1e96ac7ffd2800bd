import { createHash } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { findRunner, type ScriptLanguage } from "../../contract/languages.ts";
import { type Bundle, readBundleFiles, runsBundles } from "./bundle.ts";
import { TarProblem } from "./tar.ts";

/** A bundle in a request. */
export interface UploadedBundle {
  bytes: Buffer;
  tar: boolean;
  format?: Bundle["format"];
}

/** Returns the description of an uploaded bundle. Throws `bundle.language` and `bundle.invalid`. */
export function checkBundle(
  { bytes, tar, format }: UploadedBundle,
  { language, content }: { language: ScriptLanguage; content: string },
): Bundle {
  if (!runsBundles(findRunner(language, content))) throw new SvcError("bundle.language", { language });
  try {
    readBundleFiles(bytes, { tar });
  } catch (error) {
    if (error instanceof TarProblem) throw new SvcError("bundle.invalid", { reason: error.message });
    throw error;
  }
  return { sha256: createHash("sha256").update(bytes).digest("hex"), tar, ...defined({ format }) };
}
