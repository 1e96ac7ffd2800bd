import { createHash } from "node:crypto";
import { findRunner, type ScriptLanguage } from "../../../contract/languages.ts";
import { matchesGlob } from "../../patterns/glob.ts";
import { fieldsOf, type SyncItem } from "../item.ts";
import type { Codebase } from "./config.ts";

export type BundleFormat = "cjs" | "esm";
/** The languages whose runners execute bundles. */
export type BundledLanguage = "bun" | "nodejs";

/** Returns a relative path without `./`, `..` and a final slash: empty for the folder itself, `undefined` if it leads out of the folder. */
export function toInnerPath(path: string): string | undefined {
  if (/^([/\\]|[A-Za-z]:)/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Returns the paths in `svc.yaml` of the codebases that bundle a file. */
export function findCodebases(file: string, codebases: readonly Codebase[]): number[] {
  return codebases.flatMap((codebase, index) => (includesFile(codebase, file) ? [index] : []));
}

function includesFile({ relative_path: path, includes, excludes = [] }: Codebase, file: string): boolean {
  const folder = toInnerPath(path);
  if (folder === undefined || (folder !== "" && !file.startsWith(`${folder}/`))) return false;
  const names = [file, ...(folder === "" ? [] : [file.slice(folder.length + 1)])];
  const matches = (globs: readonly string[]) => globs.some((glob) => names.some((name) => matchesGlob(glob.replace(/^\.\//, ""), name)));
  return (includes === undefined || matches(includes)) && !matches(excludes);
}

/** Returns the language that executes the bundle of a script, or `undefined` for scripts that cannot be bundled. */
export function findBundledLanguage({ kind, language, content = "" }: SyncItem): BundledLanguage | undefined {
  if (kind !== "script" || language === undefined) return undefined;
  const runner = findRunner(language satisfies ScriptLanguage, content);
  return runner === "bun" || runner === "nodejs" ? runner : undefined;
}

export const bundleFormatOf = ({ format }: Codebase, language: BundledLanguage): BundleFormat =>
  format ?? (language === "nodejs" ? "cjs" : "esm");

/** Returns the digest of a bundle in the form of the field `codebase` of a script. Its endings mark ES modules and archives. */
export function computeBundleDigest(bytes: Uint8Array, { format, tar }: { format: BundleFormat | undefined; tar: boolean }): string {
  const digest = createHash("sha256").update(bytes).digest("hex");
  return `${digest}${format === "esm" ? ".esm" : ""}${tar ? ".tar" : ""}`;
}

/** Returns a script without the digest of its bundle: in a codebase, the digest is computed and not written to the file. */
export function withoutBundleDigest(item: SyncItem): SyncItem {
  const { codebase, ...fields } = fieldsOf(item);
  return { ...item, value: fields };
}

/** Returns the digest of the bundle that a script has in the workspace. */
export function readBundleDigest(item: SyncItem): string | undefined {
  const { codebase } = fieldsOf(item);
  return typeof codebase === "string" && codebase !== "" ? codebase : undefined;
}
