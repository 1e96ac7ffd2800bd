import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { defined } from "../../../contract/defined.ts";
import { parseExactJson } from "../../../contract/json/exact-json.ts";
import { type ItemDigest, readStoredDigest } from "../../../core/sync/digest.ts";
import { isSecret, type SyncItem } from "../../../core/sync/item.ts";
import { CommandError } from "../../errors.ts";
import { writePrivateFile } from "../../private-file.ts";
import type { Change } from "../changes.ts";
import type { SyncSession } from "../session.ts";
import { makeStateFolder, statePlace } from "../state.ts";

/** The number of pushes that can be undone. */
const KEPT = 5;

/** The items that a push replaced. */
export interface UndoRecord {
  url: string;
  workspace: string;
  at: string;
  items: {
    key: string;
    /** The item before the push. Absent: the push created it. */
    before?: SyncItem;
    /** The digests that the item has after the push. Absent: the push deleted it. */
    after?: Pick<ItemDigest, "digest" | "fixed" | "bundle">;
  }[];
}

/** The folder of the records in `.svc`. */
const FOLDER = "undo";

/** Lists the names of the records, the oldest first. */
function listRecords(root: string): string[] {
  const folder = statePlace(root, FOLDER);
  return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".json")).sort();
}

/** Saves the items that a push is about to change. Secrets are saved as ciphertext, even if the push reads them as plain text. */
export async function saveUndo(session: SyncSession, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const { project, target } = session;
  makeStateFolder(project.root, FOLDER);
  const items: UndoRecord["items"] = [];
  for (const { key, type, local, remote } of changes) {
    const before = remote && (await withCiphertext(session, remote.item));
    const { open, ...after } = local?.digest ?? { digest: "" };
    items.push({ key, ...defined({ before }), ...(type === "delete" || !local ? {} : { after }) });
  }
  const at = new Date().toISOString();
  const record: UndoRecord = { url: target.url, workspace: target.workspace, at, items };
  writePrivateFile(statePlace(project.root, FOLDER, `${at.replaceAll(":", "-")}.json`), `${JSON.stringify(record)}\n`);
  for (const old of listRecords(project.root).slice(0, -KEPT)) rmSync(statePlace(project.root, FOLDER, old));
}

async function withCiphertext({ client, project }: SyncSession, item: SyncItem): Promise<SyncItem> {
  if (!isSecret(item) || !project.options.plainSecrets) return item;
  const query = { decrypt_secret: false, include_encrypted: true };
  const { value } = await client.call.variables.get({ path: item.path, query });
  return { ...item, value: { ...(item.value as object), value: value ?? "" } };
}

/** Returns the last push that was not undone. Throws `CommandError` if there is none. */
export function readLastUndo(root: string): { record: UndoRecord; forget: () => void } {
  const last = listRecords(root).at(-1);
  if (last === undefined) throw new CommandError("There is no push to undo.");
  const file = statePlace(root, FOLDER, last);
  const record = parseExactJson(readFileSync(file, "utf8")) as UndoRecord;
  const items = record.items.map(({ after, ...item }) => (after ? { ...item, after: readStoredDigest(after) } : item));
  return { record: { ...record, items }, forget: () => rmSync(file, { force: true }) };
}
