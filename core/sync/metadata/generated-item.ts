import { toCanonicalJson } from "../../../contract/json/canonical-json.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { toArgumentsSchema } from "../../signatures/parse-source.ts";
import { parseSignature } from "../../signatures/signature.ts";
import { placeOf } from "../files/file-place.ts";
import { inlineReference, listFlowScripts } from "../files/inline-scripts.ts";
import { type FileMap, type LayoutOptions, toFiles } from "../files/layout.ts";
import { readInlineNames } from "../files/parse-files.ts";
import { formatYaml, parseYaml } from "../files/yaml.ts";
import { fieldsOf, type SyncItem } from "../item.ts";
import { findPart, type LocalItem, ownerOf } from "./item-sources.ts";
import { mergeSchema } from "./merge-schema.ts";

/** The fields of a script that its source determines. */
export interface InferredFields {
  schema: unknown;
  has_preprocessor?: true;
}

/**
 * Returns the fields of a script that its source determines: the schema of the arguments, merged with the existing one, and whether it has a
 * preprocessor. If `main` is missing or unreadable, the fields do not change.
 */
export function inferFields(item: SyncItem): InferredFields {
  const { schema, has_preprocessor: before } = fieldsOf(item);
  const signature = parseSignature(item.language ?? "bun", item.content ?? "");
  const inferred = toArgumentsSchema(signature);
  const isKnown = signature.ok && signature.hasMain;
  const hasPreprocessor = isKnown ? signature.hasPreprocessor : before === true;
  return {
    schema: isKnown ? mergeSchema(inferred, schema) : (schema ?? inferred),
    ...(hasPreprocessor ? { has_preprocessor: true as const } : {}),
  };
}

/** Returns whether the fields of a script are those that its source determines. */
export function hasInferredFields(item: SyncItem): boolean {
  const { schema, has_preprocessor: hasPreprocessor } = fieldsOf(item);
  const stated = { schema, ...(hasPreprocessor === true ? { has_preprocessor: true } : {}) };
  return toCanonicalJson(stated) === toCanonicalJson(inferFields(item));
}

/**
 * Returns a script whose metadata file has new fields and a new lock. `fields`: absent if they remain. `lock`: its text, or absent if it remains.
 * All other fields of the file remain. If nothing changes, so does its text with the comments of its author.
 */
export function replaceScript(
  { item, files }: LocalItem,
  { fields, lock }: { fields?: InferredFields; lock?: string | undefined },
): LocalItem {
  const main = findPart(files, "main") ?? nameMetadata(item.path, findPart(files, "source") ?? "");
  const lockFile = main.replace(/yaml$/, "lock");
  const { has_preprocessor: preprocessor, ...others } = readFields(main, files);
  const hasLock = lock === undefined ? files.has(lockFile) : lock !== "";
  const reference = hasLock ? inlineReference(lockFile) : lock === undefined ? (others["lock"] ?? "") : "";
  const itemFields = fields ?? (preprocessor === undefined ? {} : { has_preprocessor: preprocessor });
  const written = new Map(files).set(main, retainText(main, formatYaml({ ...others, ...itemFields, lock: reference }), files));
  if (lock === "") written.delete(lockFile);
  else if (lock !== undefined) written.set(lockFile, lock);
  return { item, files: written };
}

/** Returns the fields of a metadata file, or those of a new one. */
function readFields(main: string, files: FileMap): Record<string, unknown> {
  const text = files.get(main);
  const parsed = text === undefined ? undefined : parseYaml(main, text);
  return parsed && "value" in parsed && isJsonObject(parsed.value) ? parsed.value : { summary: "", description: "", kind: "script" };
}

/** Returns the name of a script's metadata file: next to its source, or in the folder of a script with modules. */
function nameMetadata(path: string, source: string): string {
  const folder = placeOf(source, { defaultTs: "bun" })?.folder;
  return folder === undefined ? `${path}.script.yaml` : `${folder}/script.yaml`;
}

/** Returns a flow with new locks of its inline scripts by the id of their module, and with its files. */
export function replaceFlowLocks(local: LocalItem, locks: ReadonlyMap<string, string>, layout: LayoutOptions): LocalItem {
  const item = structuredClone(local.item);
  for (const { id, script } of listFlowScripts(fieldsOf(item)["value"])) {
    const lock = locks.get(id);
    if (lock !== undefined) script["lock"] = lock;
  }
  const folder = ownerOf(local);
  const main = `${folder}/flow.yaml`;
  // The folder may have the suffix of the other layout.
  const itemFiles = toFiles(
    item,
    { ...layout, nonDottedPaths: folder.endsWith("__flow") },
    readInlineNames(item, local.files.get(main) ?? ""),
  );
  const others = [...local.files].filter(([file]) => !file.endsWith(".lock"));
  const written = new Map([...others, ...itemFiles]);
  return { item, files: written.set(main, retainText(main, written.get(main) ?? "", local.files)) };
}

/** Returns the existing text of a file if it has the same content as a new one. */
function retainText(file: string, text: string, existing: FileMap): string {
  const before = existing.get(file);
  if (before === undefined) return text;
  const [old, now] = [parseYaml(file, before), parseYaml(file, text)];
  const isSame = "value" in old && "value" in now && toCanonicalJson(withLock(old.value)) === toCanonicalJson(withLock(now.value));
  return isSame ? before : text;
}

/** An absent lock is equivalent to an empty one. */
const withLock = (value: unknown) => (isJsonObject(value) ? { lock: "", ...value } : value);
