import * as z from "zod";
import { defineObject, inWorkspace, inWorkspaceBy } from "../objects/define-object.ts";
import type { StoredObject } from "../objects/write.ts";
import { parseJson } from "../records/record-format.ts";

/** The number of partitions of an index. A search reads all of them at once, so that no partition has all reads and writes of a workspace. */
export const SEARCH_SHARDS = 16;

/** Texts that users search, at most as long as the index stores them. */
export interface SearchText {
  summary: string;
  description: string;
}

const SUMMARY_CHARS = 300;
const DESCRIPTION_CHARS = 1000;
/** Cuts a text, without half a character at its end. */
const cut = (text: unknown, chars: number) => (typeof text === "string" ? text.slice(0, chars).toWellFormed() : "");

/** The fields of an object that may contain these texts. */
export interface SearchableTexts {
  summary?: unknown;
  description?: unknown;
}

/** Returns the texts of an object as the index stores them. A part that is no text is empty. */
export const toSearchText = ({ summary, description }: SearchableTexts): SearchText => ({
  summary: cut(summary, SUMMARY_CHARS),
  description: cut(description, DESCRIPTION_CHARS),
});

/** Returns the partition of an object in the index: FNV-1a of its kind and path. */
export function shardOf(kind: string, path: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${kind}#${path}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % SEARCH_SHARDS;
}

/** Kinds contain no `#`. */
const sort = (kind: string, path: string) => `${kind}#${path}`;
/** Returns the kind and the path of an item of the index. */
export function toPlace(sk: string): { kind: string; path: string } {
  const at = sk.indexOf("#");
  return { kind: sk.slice(0, at), path: sk.slice(at + 1) };
}

const entrySchema = z.object({
  summary: z.string(),
  description: z.string(),
  source: z.object({ version: z.string(), signature: z.string() }).optional(),
});
type SearchEntry = z.output<typeof entrySchema>;

/** Returns the value of an entry as it is stored: one text, which is read faster than an object with several fields. */
export const formatEntry = ({ summary, description, source }: SearchEntry): string =>
  JSON.stringify([summary, description, ...(source ? [source.version, source.signature] : [])]);

/** Entries of an earlier deployment are objects. */
function readEntry({ pk, sk, value }: StoredObject): unknown {
  if (typeof value !== "string") return value;
  const fields = parseJson({ parent: pk, ref: sk, json: value });
  if (!Array.isArray(fields)) return undefined;
  const [summary, description, version, signature] = fields as unknown[];
  return { summary, description, source: version === undefined ? undefined : { version, signature } };
}

/**
 * The texts of an object that is not archived. `source`: for a script or flow, the signature of its source, which contains no text, and the version
 * that contains the source.
 */
export const searchEntryObject = defineObject({
  name: "entry of the search",
  partition: "SEARCH",
  ...inWorkspaceBy<number>(),
  sort,
  schema: entrySchema,
  read: readEntry,
});

/**
 * The state of the index of a workspace whose objects are older than the index. `passes`: how often all objects were compared with it. `place`: the
 * position of the pass that is not completed.
 */
export const searchIndexObject = defineObject({
  name: "state of the search",
  partition: "SEARCHED",
  ...inWorkspace,
  sort: () => "index",
  schema: z.object({
    startedAtMs: z.number(),
    passes: z.number(),
    place: z.object({ kind: z.string(), before: z.string().optional() }).optional(),
  }),
});
