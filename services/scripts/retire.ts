import type { ObjectTable } from "../../aws/object-table.ts";
import type { Storage } from "../../aws/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { eventWrite } from "../outbox.ts";
import { loadVersion, newestAt, runnableOf, versionOf } from "./load.ts";

interface Retiring {
  objects: ObjectTable;
  storage: Storage;
  nowMs: () => number;
}

/** Its path runs no more and is free for a new script; every version stays and runs by its hash. Throws `script.notFound`. */
export async function archiveScript({ objects, nowMs }: Retiring, actor: Actor, workspace: string, path: string): Promise<void> {
  const found = await objects.get(keys.scriptHead(workspace, path));
  const { build, ...value } = newestAt(found, path);
  const archived = { ...value, archived: true };
  const isNewest = { mark: value.hash };
  const listing = await objects.get(keys.scriptListing(workspace, path));
  const refused = await objects.transact([
    write.update({ ...keys.scriptHead(workspace, path), value: archived }, isNewest),
    write.update({ ...keys.version(workspace, value.hash), value: archived }, isNewest),
    ...(listing ? [write.put({ ...listing, value: { ...(listing.value as object), archived: true } }, "present")] : []),
    eventWrite({ type: "DeleteScript", workspace, object: path, by: actor.username, atMs: nowMs() }),
  ]);
  if (refused !== undefined) throw new SvcError("script.changedMeanwhile", { path });
}

/** Throws `script.versionNotFound`, also for a version that is not its script's newest. */
export async function archiveVersion(retiring: Retiring, actor: Actor, workspace: string, hash: string): Promise<void> {
  const { path } = versionOf(await retiring.objects.get(keys.version(workspace, hash)), hash);
  const newest = runnableOf(await retiring.objects.get(keys.scriptHead(workspace, path)));
  if (newest?.hash !== hash) throw new SvcError("script.versionNotFound", { hash });
  await archiveScript(retiring, actor, workspace, path);
}

/** Deletes a script with all versions saved at its path. What fails halfway is taken up by calling it again. Throws `script.notFound`. */
export async function deleteScript(retiring: Retiring, actor: Actor, workspace: string, path: string): Promise<void> {
  const { objects, nowMs } = retiring;
  const head = runnableOf(await objects.get(keys.scriptHead(workspace, path)));
  const history = await objects.list(keys.history(workspace, path, 0, "").pk);
  if (!head && history.length === 0) throw new SvcError("script.notFound", { path });
  for (const { value, pk, sk } of history) {
    const { hash } = value as { hash: string };
    const version = runnableOf(await objects.get(keys.version(workspace, hash)));
    if (version && !version.deleted) await eraseVersion(retiring, version);
    if (hash !== head?.hash) await objects.remove({ pk, sk });
  }
  // The newest goes last and together with the event: until then a repeated call finds the script.
  const refused = await objects.transact([
    ...(head
      ? [write.remove(keys.scriptHead(workspace, path), { mark: head.hash }), write.remove(keys.scriptListing(workspace, path))]
      : []),
    ...history.filter(({ value }) => (value as { hash: string }).hash === head?.hash).map(({ pk, sk }) => write.remove({ pk, sk })),
    eventWrite({ type: "DeleteScriptPath", workspace, object: path, by: actor.username, atMs: nowMs() }),
  ]);
  if (refused !== undefined) throw new SvcError("script.changedMeanwhile", { path });
}

/** Erases one version's content; what is left says that it was there. Throws `script.versionNotFound`. */
export async function deleteVersion(retiring: Retiring, actor: Actor, workspace: string, hash: string): Promise<void> {
  const runnable = versionOf(await retiring.objects.get(keys.version(workspace, hash)), hash);
  await eraseVersion(retiring, runnable);
  const newest = runnableOf(await retiring.objects.get(keys.scriptHead(workspace, runnable.path)));
  if (newest?.hash === hash) {
    const { build, ...value } = newest;
    await retiring.objects.update(
      { ...keys.scriptHead(workspace, runnable.path), value: { ...value, deleted: true, archived: true } },
      { mark: hash },
    );
    await retiring.objects.remove(keys.scriptListing(workspace, runnable.path));
  }
  await retiring.objects.transact([
    eventWrite({ type: "DeleteScript", workspace, object: hash, by: actor.username, atMs: retiring.nowMs() }),
  ]);
}

async function eraseVersion(retiring: Retiring, runnable: Runnable): Promise<void> {
  const { objects, storage } = retiring;
  const { workspace, hash } = runnable;
  const { build, ...value } = runnable;
  const version = await loadVersion(retiring, workspace, hash);
  const blank = { ...version, sent: { ...version.sent, content: "", lock: null, modules: null } };
  await objects.put({ ...keys.versionBody(workspace, hash), value: { json: JSON.stringify(blank) } });
  await objects.remove(keys.versionLock(workspace, hash));
  await storage.remove(`scripts/${workspace}/${hash}.json`);
  await objects.update({ ...keys.version(workspace, hash), value: { ...value, deleted: true } }, { mark: hash });
}
