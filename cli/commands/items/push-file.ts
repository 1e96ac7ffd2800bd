import { fromSpecificFile } from "../../../core/sync/config/specific-items.ts";
import { equalsLocal } from "../../../core/sync/digest.ts";
import { type FilePlace, placeOf } from "../../../core/sync/files/file-place.ts";
import { fromObject } from "../../../core/sync/from-object.ts";
import type { SyncItem } from "../../../core/sync/item.ts";
import { type ApiClient, unlessMissing } from "../../api/client.ts";
import { at, nounOf, readOf } from "../../api/item-operations.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { findKindOf } from "../../objects/kinds.ts";
import { type Project, toProjectPath } from "../../project/project.ts";
import { readLocalItem } from "../../project/read-item.ts";
import { describeItem } from "../../project/snapshot-item.ts";
import { loadFileTypes, readProjectFiles, toLayout } from "../../project/snapshots.ts";
import { saveItem } from "../../sync/push/apply.ts";
import { openSyncProject } from "../../sync/session.ts";

/**
 * Saves the item to which a file of the project belongs, even if the options of the project exclude it. Reads only this item: its files, and its
 * object of the workspace. An equal object is not saved again.
 */
export async function pushFile(context: Context, name: string, file: string): Promise<void> {
  const { project, target } = openSyncProject(context);
  const location = findPlace(project, toProjectPath(project, context.cwd, file));
  const kind = location && findKindOf(location.kind);
  if (!location || kind?.name !== name) throw new UsageError(`${file} is not a file of a ${name}.`);
  // Problems of files are reported before the first call. The types of resources that are stored as files are known only after that call.
  const all = readProjectFiles(project);
  const parsed = await readLocalItem(context, project, location, all);
  const client = context.client(target);
  const local =
    location.kind === "resource"
      ? await readLocalItem(context, project, location, all, toLayout(project, await loadFileTypes(client, context.output)))
      : parsed;
  if (!local) throw new UsageError(`${file} does not exist.`);
  const before = await findItem(client, project, location);
  const isEqual = before !== undefined && equalsLocal(local.digest, describeItem(before, () => new Map(), local.bundled).digest);
  const { plainSecrets = false } = project.options;
  if (!isEqual) await saveItem(client, local.item, before, { plainSecrets, bundle: local.bundle });
  context.output.say(isEqual ? `The ${name} ${location.path} is the same already.` : `The ${name} ${location.path} was saved.`);
}

/** Returns the item of a file. A file for one workspace belongs to the same item as the common file. */
function findPlace(project: Project, file: string): FilePlace | undefined {
  const common = project.entry === undefined ? undefined : fromSpecificFile(file, project.entry);
  return placeOf(common ?? file, toLayout(project));
}

/** Returns the item of one object of the workspace, or `undefined` if there is none. */
async function findItem(client: ApiClient, { options }: Project, { kind, path }: FilePlace): Promise<SyncItem | undefined> {
  const query = kind === "variable" ? { decrypt_secret: options.plainSecrets ?? false, include_encrypted: true } : {};
  const found = await client.callAny(readOf(nounOf(kind)), { ...at(path), query }).catch(unlessMissing);
  const object = found as { archived?: boolean } | undefined;
  // The route of flows also shows archived flows. A save restores them, even if it changes nothing else.
  return object && object.archived !== true ? fromObject({ kind, path }, object, options) : undefined;
}
