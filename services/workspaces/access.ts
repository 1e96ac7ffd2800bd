import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { folderSchema } from "../../contract/routes/workspaces/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import { type Access, accessSchema } from "../../core/permissions/access.ts";

const TRIES = 12;
const PAUSE_MS = 40;

/** Loads the access rights of a workspace. If they were never changed since release 0.1, they are in its folders. */
export async function loadAccess(objects: ObjectTable, workspace: string): Promise<{ access: Access; version: string | undefined }> {
  const found = await objects.get(keys.access(workspace));
  if (found) return { access: accessSchema.parse(found.value), version: found.version };
  const folders = folderSchema.array().parse((await objects.list(`F#${workspace}`)).map(({ value }) => value));
  const of = folders.map(({ name, owners, extra_perms: perms }) => [name, { owners, perms }]);
  return { access: { groups: {}, folders: Object.fromEntries(of), objects: {} }, version: undefined };
}

/** Release 0.1 had only superadmins, who need none: whoever else comes needs the rights that its folders say. */
export async function ensureAccess(objects: ObjectTable, workspace: string): Promise<void> {
  const { access, version } = await loadAccess(objects, workspace);
  if (version === undefined) await objects.put({ ...keys.access(workspace), value: access, version: randomUUID() }, "absent");
}

/** More would not fit one item of the table. */
const MOST_BYTES = 350 * 1024;

/**
 * Changes a workspace's access together with `also`, all or nothing. Of two changes at once, one waits for the other. `change` works on
 * a copy and may throw; `refused` names the error for the part of `also` whose condition did not hold.
 */
export async function changeAccess(
  objects: ObjectTable,
  workspace: string,
  change: (access: Access) => void,
  also: ObjectWrite[] = [],
  refused: (part: number) => Error = () => new SvcError("access.changedMeanwhile", {}),
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { access, version } = await loadAccess(objects, workspace);
    change(access);
    if (Buffer.byteLength(JSON.stringify(access)) > MOST_BYTES) throw new SvcError("access.tooMuch", {});
    const changed = write.put(
      { ...keys.access(workspace), value: access, version: randomUUID() },
      version === undefined ? "absent" : { version },
    );
    const failed = await objects.transact([...also, changed]);
    if (failed === undefined) return;
    if (failed < also.length) throw refused(failed);
    // Somebody was first. Those who wait try again at different moments.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * (tries + 1)));
  }
  throw new SvcError("access.changedMeanwhile", {});
}
