import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { TriggerSources } from "../../aws/lambda/trigger-sources.ts";
import type { Action } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import type { TriggerMode } from "../../contract/routes/triggers/trigger-kind.ts";
import {
  type AwsFields,
  type EmailFields,
  type NewTrigger,
  ownFieldSchemas,
  type SqsFields,
} from "../../contract/routes/triggers/trigger-kinds.ts";
import { routesOfTriggerKinds } from "../../contract/routes/triggers/triggers.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { RESERVED_LOCAL_PARTS } from "../../core/triggers/mail.ts";
import { buildEventPattern, findMissingSource } from "../../core/triggers/sources.ts";
import { buildLocalPart, releaseObject, type StoredTrigger, triggerObject } from "../../core/triggers/trigger.ts";
import { findHandlerTarget } from "../flows/definitions/find-handler.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { requireRunnableHandler } from "../flows/definitions/require-runnable.ts";
import { permitPath, permitRun } from "../identity/permit.ts";
import { type RunAs, requireActingFields, resolveRunAs } from "../identity/run-as.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import { requireNewestScript } from "../scripts/load.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { checkAuthenticationFields, checkCustomScript, UNREADABLE_RESOURCE } from "./authentication-fields.ts";
import { buildHttpRouteParts } from "./http-route-entries.ts";
import { requireTrigger, type TriggerPlace } from "./read.ts";
import { buildSourceParts, type Connection, loadAllowedSources } from "./sources.ts";
import { checkStaticFields } from "./static-fields.ts";

export interface SaveTriggerDeps {
  objects: ObjectTable;
  sources: TriggerSources;
  /** The domain of mail triggers, absent if the deployment receives no mail. */
  mailDomain?: string | undefined;
  nowMs: () => number;
}

type TriggerCaller = WorkspaceCaller & Omit<TriggerPlace, "workspace">;

const actionOf = (kind: TriggerPlace["kind"]): Action => routesOfTriggerKinds[kind].update;
const changed = (path: string) => new SvcError("trigger.changedMeanwhile", { path });

/**
 * Creates a trigger. Throws `trigger.exists`, `trigger.source`, `trigger.sourceTaken`, `trigger.notPermittedAs`, `trigger.needsAdmin`, `trigger.needsSuperadmin`,
 * `trigger.routeTaken`, `trigger.tooManyRoutes`, `user.notFound`,
 * `script.notFound`, `flow.notFound`, `path.noFolder`, `workspace.notFound`, and `reference.refused` for arguments that refer to what the caller may
 * not read.
 */
export async function createTrigger(
  deps: SaveTriggerDeps,
  { actor, workspace, kind, path }: TriggerCaller,
  sent: NewTrigger,
): Promise<void> {
  permitPath(actor, actionOf(kind), workspace, path);
  const id = randomUUID();
  const own = await checkOwnFields(deps, { actor, workspace }, { kind, id }, sent);
  const runAs = await checkRunnable(deps, { actor, workspace }, sent, own);
  const trigger = buildTrigger({ id, kind, own }, runAs, sent, { by: actor.username, atMs: deps.nowMs() });
  await checkArguments(deps, { actor, workspace }, trigger);
  const source = buildSourceParts(workspace, undefined, trigger);
  await retryOnConflict(
    async () => {
      const stored = await commitParts(deps.objects, [
        ...buildPathConditions(workspace, path),
        {
          write: write.put({ ...triggerObject.key(workspace, kind, path), value: trigger, version: randomUUID() }, "absent"),
          refused: new SvcError("trigger.exists", { path }),
        },
        ...source.parts,
        ...(await buildHttpRouteParts(deps.objects, { actor, workspace }, undefined, trigger)),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
  await connectNow(deps, source.connections);
}

/**
 * Changes a trigger; another `path` renames it. Its jobs then run with the caller's rights. A request of another user must contain each field that acts
 * with these rights. Throws as `createTrigger` does, `trigger.notFound` and `identity.fieldsMissing`.
 */
export async function updateTrigger(
  deps: SaveTriggerDeps,
  { actor, workspace, kind, path }: TriggerCaller,
  sent: NewTrigger,
): Promise<void> {
  const to = sent.path;
  permitPath(actor, actionOf(kind), workspace, to);
  const known = requireTrigger(await deps.objects.get(triggerObject.key(workspace, kind, path)), path);
  const own = await checkOwnFields(deps, { actor, workspace }, known, sent);
  const runAs = await checkRunnable(deps, { actor, workspace }, sent, own);
  await changeTrigger(deps, { actor, workspace, kind, path }, async (before) => {
    requireActingFields(before, runAs, {
      error_handler_path: sent.error_handler_path === undefined ? before.errorHandlerPath : undefined,
      error_handler_args: sent.error_handler_args === undefined ? before.errorHandlerArgs : undefined,
      retry: sent.retry === undefined ? before.retry : undefined,
    });
    const edit = { by: actor.username, atMs: deps.nowMs() };
    const trigger = { ...buildTrigger({ id: before.id, kind, own }, runAs, sent, edit, before), path: to };
    await checkArguments(deps, { actor, workspace }, trigger);
    return trigger;
  });
}

/** Checks all arguments of a trigger, which are resolved with the rights of its user. Throws `reference.refused`. */
function checkArguments(deps: SaveTriggerDeps, caller: WorkspaceCaller, { errorHandlerArgs, retry }: StoredTrigger): Promise<void> {
  return checkStoredArguments(deps, caller, { error_handler_args: errorHandlerArgs }, retry);
}

/**
 * Sets the mode of a trigger. Enabling it releases the jobs that wait since it was suspended, so its caller must have the right to run them, also by the
 * scopes of a token. Throws `trigger.notFound`, `script.notFound` and `flow.notFound`.
 */
export async function setTriggerMode(deps: SaveTriggerDeps, caller: TriggerCaller, mode: TriggerMode): Promise<void> {
  const { actor, workspace } = caller;
  await changeTrigger(deps, caller, async (before) => {
    if (mode !== "disabled") permitRun(actor, workspace, { path: before.scriptPath, isFlow: before.isFlow });
    return { ...before, mode, editedBy: actor.username, editedAtMs: deps.nowMs() };
  });
}

/** Deletes a trigger with its extra permissions. Throws `trigger.notFound`. */
export async function deleteTrigger(deps: SaveTriggerDeps, caller: TriggerCaller): Promise<void> {
  await changeTrigger(deps, caller, async () => undefined);
}

/** Replaces a trigger by what `change` makes of it, together with the entry of its source. Without a result it is deleted. */
async function changeTrigger(
  deps: SaveTriggerDeps,
  { actor, workspace, kind, path }: TriggerCaller,
  change: (before: StoredTrigger) => Promise<StoredTrigger | undefined>,
): Promise<void> {
  const { objects } = deps;
  const key = triggerObject.key(workspace, kind, path);
  const connections = await retryOnConflict(
    async () => {
      const found = await objects.get(key);
      const before = requireTrigger(found, path);
      const after = await change(before);
      const source = buildSourceParts(workspace, before, after);
      const stored = await commitParts(objects, [
        ...(await buildTriggerParts(objects, { actor, workspace, kind, path }, found as StoredObject, after)),
        ...source.parts,
        ...(await buildHttpRouteParts(objects, { actor, workspace }, before, after)),
        ...buildReleaseParts(workspace, before, after),
      ]);
      return stored ? { done: source.connections } : undefined;
    },
    () => changed(path),
  );
  await connectNow(deps, connections);
}

async function buildTriggerParts(
  objects: ObjectTable,
  { actor, workspace, kind, path }: TriggerCaller,
  found: StoredObject,
  after: StoredTrigger | undefined,
): Promise<TransactionPart[]> {
  const key = triggerObject.key(workspace, kind, path);
  const expect = unchangedSince(found);
  if (after?.path === path) return [{ write: write.put({ ...key, value: after, version: randomUUID() }, expect), refused: undefined }];
  const removed: TransactionPart = { write: write.remove(key, expect), refused: undefined };
  const acl = { workspace, kind: `${kind}_trigger`, path };
  if (!after) return [removed, await buildAclPart({ objects }, acl)];
  return [
    ...buildPathConditions(workspace, after.path),
    {
      write: write.put({ ...triggerObject.key(workspace, kind, after.path), value: after, version: randomUUID() }, "absent"),
      refused: new SvcError("trigger.exists", { path: after.path }),
    },
    removed,
    await buildAclPart({ objects }, acl, { actor, to: after.path }),
  ];
}

/** A suspended trigger that is enabled has jobs to release. Jobs of a deleted one can be run or canceled one by one. */
function buildReleaseParts(workspace: string, before: StoredTrigger, after: StoredTrigger | undefined): TransactionPart[] {
  if (before.mode !== "suspended" || after?.mode !== "enabled") return [];
  return [
    { write: write.put({ ...releaseObject.key(workspace, before.id), value: { id: before.id, of: workspace } }), refused: undefined },
  ];
}

function buildTrigger(
  { id, kind, own }: Pick<StoredTrigger, "id" | "kind" | "own">,
  runAs: RunAs,
  sent: NewTrigger,
  edit: { by: string; atMs: number },
  before?: StoredTrigger,
): StoredTrigger {
  const enabled = sent.enabled == null ? undefined : sent.enabled ? ("enabled" as const) : ("disabled" as const);
  const keep = <T>(value: T | null | undefined, old: T | undefined) => (value === undefined ? old : (value ?? undefined));
  const optional = {
    labels: keep(sent.labels, before?.labels),
    errorHandlerPath: keep(sent.error_handler_path, before?.errorHandlerPath),
    errorHandlerArgs: keep(sent.error_handler_args, before?.errorHandlerArgs),
    retry: keep(sent.retry, before?.retry),
  };
  return {
    id,
    kind,
    path: sent.path,
    scriptPath: sent.script_path,
    isFlow: sent.is_flow,
    mode: sent.mode ?? enabled ?? before?.mode ?? "enabled",
    ...runAs,
    own,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    editedBy: edit.by,
    editedAtMs: edit.atMs,
  };
}

/** Checks that the caller may run the script or flow and the error handler, and returns the user with whose rights the jobs run. */
async function checkRunnable(
  { objects }: SaveTriggerDeps,
  caller: WorkspaceCaller,
  sent: NewTrigger,
  own: StoredTrigger["own"],
): Promise<RunAs> {
  const { actor, workspace } = caller;
  const { script_path: path, is_flow: isFlow } = sent;
  permitRun(actor, workspace, { path, isFlow });
  const { preprocessor } = isFlow
    ? requireNewestFlow(await objects.get(flowHeadObject.key(workspace, path)), path)
    : requireNewestScript(await objects.get(scriptHeadObject.key(workspace, path)), path);
  checkCustomScript(own, { path, isFlow, preprocessor });
  const handler = await findHandlerTarget(objects, workspace, sent.error_handler_path ?? "");
  if (handler) await requireRunnableHandler({ objects }, caller, handler);
  return resolveRunAs({ objects }, caller, sent, (permissionedAs) => new SvcError("trigger.notPermittedAs", { permissionedAs }));
}

/** Returns the kind's own fields, after the check that the workspace may use their source. Throws `trigger.source`. */
async function checkOwnFields(
  deps: SaveTriggerDeps,
  caller: WorkspaceCaller,
  { kind, id }: Pick<StoredTrigger, "kind" | "id">,
  sent: NewTrigger,
): Promise<StoredTrigger["own"]> {
  // The route has checked the body, which also contains the common fields.
  const parsed = ownFieldSchemas[kind].parse(sent);
  const { workspace } = caller;
  if (kind === "email") checkLocalPart(deps, workspace, parsed as EmailFields);
  if (kind === "http") {
    await checkStaticFields(deps.objects, caller, parsed as HttpFields);
    await checkAuthenticationFields(deps.objects, caller, parsed as HttpFields);
  }
  if (kind === "sqs") await checkQueue(deps, caller, parsed as SqsFields);
  if (kind === "aws") await checkAwsSource(deps, workspace, id, parsed as AwsFields);
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value != null));
}

function checkLocalPart({ mailDomain }: SaveTriggerDeps, workspace: string, own: EmailFields): void {
  const refuse = (reason: string) => new SvcError("trigger.source", { field: "local_part", reason });
  if (!mailDomain) throw refuse("this deployment receives no mail, because it has no mailDomain");
  const local = buildLocalPart(workspace, own);
  if (local.length > 64) throw refuse("the part before @ has more than 64 characters");
  if (RESERVED_LOCAL_PARTS.has(local)) throw refuse(`${local} is reserved for the owner of the domain`);
}

async function checkQueue({ sources }: SaveTriggerDeps, { actor, workspace }: WorkspaceCaller, own: SqsFields): Promise<void> {
  const { aws_resource_path: path } = own;
  if (path && !may(actor, actions.readResource.access, { workspace, path }))
    throw new SvcError("trigger.source", { field: "aws_resource_path", reason: UNREADABLE_RESOURCE });
  const reason = path
    ? await sources.checkSource({ workspace, check: { type: "remoteQueue", url: own.queue_url } })
    : await sources.checkSource({ workspace, check: { type: "queue", url: own.queue_url } });
  if (reason !== undefined) throw new SvcError("trigger.source", { field: "queue_url", reason });
}

async function checkAwsSource({ objects, sources }: SaveTriggerDeps, workspace: string, id: string, own: AwsFields): Promise<void> {
  const field = { sns: "topic_arn", eventbridge: "bus", s3: "bucket" }[own.source];
  const missing = findMissingSource(own, (await loadAllowedSources(objects))[workspace] ?? []);
  if (missing !== undefined) {
    const reason = `an administrator of the instance must first list ${missing} for this workspace in the setting aws_trigger_sources`;
    throw new SvcError("trigger.source", { field, reason });
  }
  if (own.source === "sns") return;
  const pattern = buildEventPattern(own);
  const reason = await sources.checkSource({ workspace, check: { type: "rule", id, bus: own.bus ?? "default", pattern } });
  if (reason !== undefined) throw new SvcError("trigger.source", { field: own.source === "s3" ? "bucket" : "event_pattern", reason });
}

/** The change is stored already, so a failure here is only a delay: housekeeping repeats the check. */
async function connectNow({ sources }: SaveTriggerDeps, connections: Connection[]): Promise<void> {
  if (connections.length === 0) return;
  await sources
    .invokeConnect({ connections })
    .catch((error: unknown) =>
      reportFailure("The sources of a trigger could not be connected yet", error, { connections: connections.length }),
    );
}
