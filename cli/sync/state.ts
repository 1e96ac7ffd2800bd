import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type ItemDigest, readStoredDigest } from "../../core/sync/digest.ts";
import { makePrivateFolder, writePrivateFile } from "../private-file.ts";
import type { Target } from "../profiles/target.ts";
import { placeWithoutLinks } from "../project/links.ts";

/** The folder in which `svc` stores its state of a checkout. It contains a `.gitignore` that excludes it from git. */
const STATE_FOLDER = ".svc";

/** The items of both sides after the last synchronisation, by workspace of a service. */
interface StateFile {
  version: 1;
  workspaces: Record<string, { items: Record<string, ItemDigest> }>;
}

const keyOf = ({ url, workspace }: Pick<Target, "url" | "workspace">): string => `${url} ${workspace}`;

/** Returns the location of a file or folder in `.svc`. Every access to `.svc` begins here. Throws `CommandError` for a link. */
export const statePlace = (root: string, ...names: string[]): string => placeWithoutLinks(root, [STATE_FOLDER, ...names].join("/"));

/** Returns a folder in `.svc`, or `.svc` without names. Creates it and makes it private. Throws `CommandError` for a link. */
export function makeStateFolder(root: string, ...names: string[]): string {
  const ignore = statePlace(root, ".gitignore");
  for (let length = 0; length <= names.length; length += 1) makePrivateFolder(statePlace(root, ...names.slice(0, length)));
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
  return statePlace(root, ...names);
}

const STATE_FILE = "state.json";

function readState(root: string): StateFile {
  const file = statePlace(root, STATE_FILE);
  const empty: StateFile = { version: 1, workspaces: {} };
  if (!existsSync(file)) return empty;
  try {
    const state = JSON.parse(readFileSync(file, "utf8")) as StateFile;
    return state.version === 1 ? state : empty;
  } catch {
    // Without a readable state, a synchronisation makes one side equal to the other.
    return empty;
  }
}

/** Returns the items of both sides, or `undefined` if the project was never synchronised with the workspace. */
export function readBase(root: string, target: Pick<Target, "url" | "workspace">): Map<string, ItemDigest> | undefined {
  const { workspaces } = readState(root);
  const key = keyOf(target);
  const items = Object.hasOwn(workspaces, key) ? workspaces[key]?.items : undefined;
  return items && new Map(Object.entries(items).map(([item, digest]) => [item, readStoredDigest(digest)]));
}

export function writeBase(root: string, target: Pick<Target, "url" | "workspace">, items: ReadonlyMap<string, ItemDigest>): void {
  const state = readState(root);
  state.workspaces[keyOf(target)] = { items: Object.fromEntries(items) };
  makeStateFolder(root);
  writePrivateFile(statePlace(root, STATE_FILE), `${JSON.stringify(state)}\n`);
}
