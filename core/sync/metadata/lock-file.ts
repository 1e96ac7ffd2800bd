import { createHash } from "node:crypto";
import * as z from "zod";
import { formatYaml, parseYaml } from "../files/yaml.ts";
import type { FileProblem } from "../item.ts";

/** The file at the root of a project that records the sources for which its locks were generated (api.md §6.4). */
export const LOCK_FILE = "svc-lock.yaml";
const VERSION = "v2";
/** The end of the key that a flow has for all of its inline scripts. */
const FLOW_HASH = "__flow_hash";

/** The recorded hashes by key: the path of a script, or the folder of a flow and the name of a file. */
export type LockHashes = ReadonlyMap<string, string>;

/** The lists of package versions that a source uses, by file. */
export type UsedLists = Readonly<Record<string, string>>;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns the hash of a script: it changes with the source, the metadata file, and the lists of package versions that the source uses. */
export const hashScript = ({ source, metadata, lists }: { source: string; metadata: string; lists: UsedLists }): string =>
  hash(JSON.stringify(lists) + source + metadata);

export const inlineKey = (folder: string, file: string): string => `${folder}+${file}`;

/** Returns the hashes of a flow by key: one for each file with an inline script, and one for all of them. */
export function hashFlow(folder: string, scripts: readonly { file: string; source: string; lists: UsedLists }[]): Map<string, string> {
  const hashes = scripts.map(({ file, source, lists }) => [file, hash(source + JSON.stringify(lists))] as const);
  hashes.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const all = hash(JSON.stringify(Object.fromEntries(hashes)));
  return new Map([...hashes.map(([file, fileHash]) => [inlineKey(folder, file), fileHash] as const), [inlineKey(folder, FLOW_HASH), all]]);
}

/** Returns whether a key belongs to a script or to one of the files of a flow. `owner`: the path of the script, or the folder of the flow. */
export const isKeyOf = (key: string, owner: string): boolean => key === owner || key.startsWith(`${owner}+`);

const fileSchema = z.strictObject({ version: z.literal(VERSION), locks: z.record(z.string(), z.string()) });
const REPAIR = "Repair it, or delete it and run: svc generate-metadata";

/** Parses the file of recorded hashes. An absent file has none. Returns the problem of an unreadable file. */
export function parseLockFile(text: string | undefined): { hashes: Map<string, string> } | { problem: FileProblem } {
  if (text === undefined) return { hashes: new Map() };
  const parsed = parseYaml(LOCK_FILE, text);
  if ("problem" in parsed) return { problem: { ...parsed.problem, message: `${parsed.problem.message} ${REPAIR}` } };
  const checked = fileSchema.safeParse(parsed.value);
  if (checked.success) return { hashes: new Map(Object.entries(checked.data.locks)) };
  return {
    problem: { file: LOCK_FILE, message: `It must contain \`version: ${VERSION}\` and \`locks\`, a hash for each path. ${REPAIR}` },
  };
}

/** Formats recorded hashes. Equal hashes produce equal texts. */
export const formatLockFile = (hashes: LockHashes): string => formatYaml({ version: VERSION, locks: Object.fromEntries(hashes) });
