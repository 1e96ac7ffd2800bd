import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { JobTable } from "../../aws/job-table.ts";
import type { ObjectTable } from "../../aws/object-table.ts";
import type { Queue } from "../../aws/queue.ts";
import type { Storage } from "../../aws/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { runnerFor } from "../../contract/languages.ts";
import { limits } from "../../contract/limits.ts";
import { MAX_PARENTS, type NewScript } from "../../contract/routes/scripts.ts";
import { firstDueMs } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { type Actor, permissionedAs } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { memberSchema } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { type BuildState, isNoop, type Runnable, type StoredVersion, versionHash } from "../../core/scripts/version.ts";
import { permit, permitPlace } from "../identity/permit.ts";
import { prepare, send } from "../jobs/accept.ts";
import { eventWrite } from "../outbox.ts";
import { moveAcl } from "../workspaces/acls.ts";
import { bodyObject, loadVersion, runnableOf } from "./load.ts";

export interface Creating {
  objects: ObjectTable;
  jobs: JobTable;
  storage: Storage;
  queue: Queue;
  nowMs: () => number;
}

/** A version's fields above this stand in S3: a DynamoDB item holds at most 400 KB. */
const BODY_ITEM_BYTES = 100 * 1024;

type Parent = { runnable: Runnable; version: StoredVersion };

/**
 * Saves a new version: the version, the script's head and listing, its history, the event and the `dependencies` job in one
 * transaction. Of two writers with one parent, one wins. Answers the hash. Throws the `script.*` and `path.noFolder` errors.
 */
export async function createScript(
  creating: Creating,
  actor: Actor,
  workspace: string,
  sent: NewScript,
  { skipIfNoop = false } = {},
): Promise<string> {
  const { path } = sent;
  permitPlace(actor, "scripts.update", workspace, path);
  const asked = actingFor(actor, workspace, sent);
  if (Buffer.byteLength(asked.content) > limits.scriptBytes) throw new SvcError("script.tooLarge", { limitBytes: limits.scriptBytes });
  const { objects } = creating;
  const head = await objects.get(keys.scriptHead(workspace, asked.path));
  const current = runnableOf(head);
  const parent = await findParent(creating, workspace, asked, current);
  if (parent && parent.runnable.path !== path) {
    const hidden = () => new SvcError("script.parentUnknown", { parentHash: parent.runnable.hash });
    permit(actor, "scripts.update", { workspace, path: parent.runnable.path }, hidden);
  }
  if (skipIfNoop && parent && runsAt(parent.runnable, asked.path) && isNoop(parent.version.sent, asked)) return parent.runnable.hash;
  return save(creating, actor, workspace, asked, current, parent);
}

const runsAt = ({ path, archived, deleted }: Runnable, wanted: string) => path === wanted && !archived && !deleted;

/** What is told to who names a folder that is not there, or that they may not see. */
/** Saving makes a script act for who saves it; an admin may keep that it acts for somebody else. Throws `script.notOnBehalf`. */
function actingFor(actor: Actor, workspace: string, sent: NewScript): NewScript {
  const email = sent.on_behalf_of_email;
  if (!email || email === actor.email) return sent;
  if (!sent.preserve_on_behalf_of) return { ...sent, on_behalf_of_email: actor.email };
  if (may(actor, "users.update", { workspace })) return sent;
  throw new SvcError("script.notOnBehalf", { email });
}

/** Throws `user.notFound` for who is no member: a run needs the rights of one. */
async function onBehalfOf({ objects }: Creating, actor: Actor, workspace: string, email: string) {
  if (email === actor.email) return { email, permissionedAs: permissionedAs(actor) };
  const found = await objects.get(keys.member(workspace, personKey(email)));
  if (!found) throw new SvcError("user.notFound", { email });
  return { email, permissionedAs: `u/${memberSchema.parse(found.value).username}` };
}

/** The version that the new one follows, or `undefined` for a new script. */
async function findParent(
  creating: Creating,
  workspace: string,
  asked: NewScript,
  current: Runnable | undefined,
): Promise<Parent | undefined> {
  const hash = asked.parent_hash ?? (asked.auto_parent ? current?.hash : undefined);
  // The path of a script that was archived, or whose newest version was deleted, is free: saving there goes on with its versions.
  const free = current === undefined || current.archived || current.deleted;
  const followed = hash ?? (free ? current?.hash : undefined);
  if (followed === undefined) {
    if (!free) throw new SvcError("script.pathTaken", { path: asked.path });
    return undefined;
  }
  const runnable = runnableOf(await creating.objects.get(keys.version(workspace, followed)));
  if (!runnable || (runnable.deleted && current?.hash !== followed)) throw new SvcError("script.parentUnknown", { parentHash: followed });
  if (current && current.hash !== followed) {
    if (current.path === runnable.path) throw new SvcError("script.parentHasChild", { parentHash: followed });
    if (!free) throw new SvcError("script.pathTaken", { path: asked.path });
  }
  return { runnable, version: await loadVersion(creating, workspace, followed) };
}

async function save(
  creating: Creating,
  actor: Actor,
  workspace: string,
  asked: NewScript,
  current: Runnable | undefined,
  parent: Parent | undefined,
): Promise<string> {
  const { objects, storage, nowMs } = creating;
  const atMs = nowMs();
  const hash = versionHash(workspace, randomUUID(), asked);
  const { path } = asked;
  const runner = runnerFor(asked.language, asked.content);
  const { interfaceOf } = await import("../../core/scripts/interface.ts");
  const { params, paramTypes, inferredSchema } = interfaceOf(asked.language, asked.content);
  const version: StoredVersion = {
    sent: asked,
    hash,
    parentHashes: parent ? [parent.runnable.hash, ...parent.version.parentHashes].slice(0, MAX_PARENTS) : [],
    createdBy: actor.username,
    createdAtMs: atMs,
    ...(inferredSchema ? { inferredSchema } : {}),
  };
  const job = runner
    ? await prepare(creating, {
        actor,
        workspace,
        kind: "dependencies",
        path,
        hash,
        language: asked.language,
        args: {},
        timeoutS: 600,
        id: uuidv7(),
      })
    : undefined;
  const build: BuildState = job ? { state: "pending", job: job.id } : { state: "none" };
  const runnable: Omit<Runnable, "build"> = {
    workspace,
    path,
    hash,
    language: asked.language,
    ...(runner ? { runner } : {}),
    params,
    ...(paramTypes ? { paramTypes } : {}),
    timeoutS: asked.timeout ?? limits.defaultTimeoutS,
    tag: asked.tag ?? asked.language,
    dedicated: asked.dedicated_worker ?? false,
    ...(asked.on_behalf_of_email ? { onBehalfOf: await onBehalfOf(creating, actor, workspace, asked.on_behalf_of_email) } : {}),
    ...(typeof asked.delete_after_secs === "number" ? { deleteAfterS: asked.delete_after_secs } : {}),
    archived: false,
    deleted: false,
  };
  const json = JSON.stringify(version);
  const s3Key = bodyObject(workspace, hash);
  const inItem = Buffer.byteLength(json) <= BODY_ITEM_BYTES;
  if (!inItem) await storage.put(s3Key, json, "application/json");

  const { content, schema, lock, modules, ...listed } = asked;
  const folder = path.startsWith("f/") ? (path.split("/")[1] ?? "") : undefined;
  const parts: { part: Parameters<ObjectTable["transact"]>[0][number]; refused: () => SvcError }[] = [];
  const add = (part: (typeof parts)[number]["part"], refused: () => SvcError) => parts.push({ part, refused });
  const meanwhile = () => new SvcError("script.changedMeanwhile", { path });

  add(write.check(keys.workspace(workspace), "present"), () => new SvcError("workspace.notFound", { workspace }));
  if (folder !== undefined)
    add(write.check(keys.folder(workspace, folder), "present"), () => new SvcError("path.noFolder", { path, folder }));
  if (parent) {
    const parentHash = parent.runnable.hash;
    add(
      write.update({ ...keys.version(workspace, parentHash), next: hash }, "childless"),
      () => new SvcError("script.parentHasChild", { parentHash }),
    );
  }
  add(
    write.put({ ...keys.scriptHead(workspace, path), value: runnable, mark: hash, build }, current ? { mark: current.hash } : "absent"),
    meanwhile,
  );
  add(write.put({ ...keys.version(workspace, hash), value: runnable, mark: hash, build }, "absent"), meanwhile);
  add(write.put({ ...keys.versionBody(workspace, hash), value: inItem ? { json } : { s3Key } }, "absent"), meanwhile);
  add(
    write.put({
      ...keys.scriptListing(workspace, path),
      value: { ...listed, hash, parentHashes: version.parentHashes, createdBy: actor.username, createdAtMs: atMs, archived: false },
    }),
    meanwhile,
  );
  const note = asked.deployment_message ? { message: asked.deployment_message } : {};
  add(
    write.put({ ...keys.history(workspace, path, atMs, hash), value: { hash, createdAtMs: atMs, createdBy: actor.username, ...note } }),
    meanwhile,
  );
  if (parent && parent.runnable.path !== path) {
    // A parent at another path renames: nothing runs at the old path any more, its versions and history stay.
    const from = parent.runnable.path;
    add(
      write.remove(keys.scriptHead(workspace, from), { mark: parent.runnable.hash }),
      () => new SvcError("script.parentHasChild", { parentHash: parent.runnable.hash }),
    );
    add(write.remove(keys.scriptListing(workspace, from)), meanwhile);
  }
  const type = parent ? "UpdateScript" : "CreateScript";
  add(eventWrite({ type, workspace, object: path, by: actor.username, atMs }), meanwhile);
  if (job) add({ raw: { Put: creating.jobs.createParams(job, firstDueMs(job.createdAtMs)) } }, meanwhile);

  const refused = await objects.transact(parts.map(({ part }) => part));
  if (refused !== undefined) throw parts[refused]?.refused() ?? meanwhile();
  if (parent && parent.runnable.path !== path) await moveAcl(creating, { workspace, kind: "script", path: parent.runnable.path }, path);
  // The script is saved whatever becomes of the message: housekeeping finds the job by its due time and sends it again.
  if (job) await send(creating, job).catch(() => undefined);
  return hash;
}
