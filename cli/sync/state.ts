import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ItemDigest, readStoredDigest } from "../../core/sync/digest.ts";
import { writePrivateFile } from "../private-file.ts";
import type { Target } from "../profiles/target.ts";

/** The folder of what `svc` remembers about a checkout. Its own `.gitignore` excludes it from git. */
export const STATE_FOLDER = ".svc";

/** The items as both sides had them after the last synchronisation, by workspace of a service. */
interface StateFile {
  version: 1;
  workspaces: Record<string, { items: Record<string, ItemDigest> }>;
}

const keyOf = ({ url, workspace }: Pick<Target, "url" | "workspace">): string => `${url} ${workspace}`;

/** Returns the folder `.svc` of a project, and creates it. */
export function stateFolder(root: string): string {
  const folder = join(root, STATE_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
  return folder;
}

function readState(root: string): StateFile {
  const file = join(root, STATE_FOLDER, "state.json");
  const empty: StateFile = { version: 1, workspaces: {} };
  if (!existsSync(file)) return empty;
  try {
    const state = JSON.parse(readFileSync(file, "utf8")) as StateFile;
    return state.version === 1 ? state : empty;
  } catch {
    // Without a readable state, a synchronisation makes one side equal to the other one.
    return empty;
  }
}

/** Returns the items as both sides had them, or `undefined` if the project was never synchronised with the workspace. */
export function readBase(root: string, target: Pick<Target, "url" | "workspace">): Map<string, ItemDigest> | undefined {
  const { workspaces } = readState(root);
  const key = keyOf(target);
  const items = Object.hasOwn(workspaces, key) ? workspaces[key]?.items : undefined;
  return items && new Map(Object.entries(items).map(([item, digest]) => [item, readStoredDigest(digest)]));
}

export function writeBase(root: string, target: Pick<Target, "url" | "workspace">, items: ReadonlyMap<string, ItemDigest>): void {
  const state = readState(root);
  state.workspaces[keyOf(target)] = { items: Object.fromEntries(items) };
  writePrivateFile(join(stateFolder(root), "state.json"), `${JSON.stringify(state)}\n`);
}
