import * as z from "zod";
import type { Deployment } from "../../contract/deployment/deployment.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import type { FileStore } from "../../ports/file-store.ts";

export const stateSchema = z.object({
  /** The items of both sides after the last push, by key. A call that is added to the app again continues with them. */
  items: z.record(z.string(), z.unknown()),
  /**
   * The keys of the items that the files of the call contain: while a push runs, or if it fails, also those of the files before. Empty if the app no longer
   * has the call. The first release did not store them: they are those of `items`.
   */
  keys: z.array(z.string()).optional(),
});
export type CallState = z.output<typeof stateSchema>;

type States = Pick<FileStore, "getObject" | "putObject" | "listObjectKeys">;
type Call = Pick<Deployment, "workspace" | "id">;
const STATE_BYTES = 20 * 1024 * 1024;

const folderOf = (workspace: string) => `deployments/${workspace}/`;
const keyOf = ({ workspace, id }: Call) => `${folderOf(workspace)}${id}.json`;

/** Returns the keys of the items that the files of a call contain. */
export const keysOf = ({ items, keys }: CallState): readonly string[] => keys ?? Object.keys(items);

/** The state of a call, and the keys of the items that other calls of the workspace need. */
export interface WorkspaceStates {
  callState: CallState;
  others: ReadonlySet<string>;
}

/** Reads the states of a workspace. */
export async function readStates(storage: States, call: Call): Promise<WorkspaceStates> {
  let callState: CallState = { items: {}, keys: [] };
  const others = new Set<string>();
  for (const key of await storage.listObjectKeys(folderOf(call.workspace))) {
    const stored = await storage.getObject(key, STATE_BYTES);
    if (stored === undefined) continue;
    if ("tooLarge" in stored) throw new Error(`The stored state ${key} is too large.`);
    const state = stateSchema.parse(parseExactJson(stored.bytes.toString()));
    if (key === keyOf(call)) callState = state;
    else for (const item of keysOf(state)) others.add(item).add(folderItemOf(item) ?? item);
  }
  return { callState, others };
}

/** Returns the key of the folder that contains an item. */
function folderItemOf(item: string): string | undefined {
  const name = /^\S+ f\/([^/]+)\//.exec(item)?.[1];
  return name === undefined ? undefined : `folder ${name}`;
}

export async function writeState(storage: States, call: Call, state: CallState): Promise<void> {
  await storage.putObject(keyOf(call), JSON.stringify(state), "application/json");
}

/** Returns the items without those that only other calls contain: a push ignores items that are not among them and have no file. */
export function leaveToOthers(items: CallState["items"], others: ReadonlySet<string>, files: ReadonlySet<string>): CallState["items"] {
  return Object.fromEntries(Object.entries(items).filter(([key]) => files.has(key) || !others.has(key)));
}
