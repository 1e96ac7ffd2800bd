import { randomUUID } from "node:crypto";
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
import { write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { RESERVED_LOCAL_PARTS } from "../../core/triggers/mail.ts";
import { buildEventPattern, findMissingSource } from "../../core/triggers/sources.ts";
import { buildLocalPart, releaseObject, type StoredTrigger, triggerObject } from "../../core/triggers/trigger.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { findHandlerTarget } from "../flows/definitions/find-handler.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { requireRunnableHandler } from "../flows/definitions/require-runnable.ts";
import { permitRun } from "../identity/permit.ts";
import { type RunAs, requireActingFields, resolveRunAs } from "../identity/run-as.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { changeObject, createObject } from "../objects/save-object.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import { requireNewestScript } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";
import { checkAuthenticationFields, checkCustomScript, UNREADABLE_RESOURCE } from "./authentication-fields.ts";
import { buildHttpRouteParts } from "./http-route-entries.ts";
import { requireTrigger, type TriggerPlace } from "./read.ts";
import { buildSourceParts, type Connection, loadAllowedSources } from "./sources.ts";
import { checkStaticFields } from "./static-fields.ts";

type TriggerTarget = ObjectTarget & Pick<TriggerPlace, "kind">;

export const toTriggerPathKind = (kind: TriggerPlace["kind"]): PathKind<StoredTrigger> => ({
  key: (workspace, path) => triggerObject.key(workspace, kind, path),
  parse: triggerObject.parse,
  permissions: `${kind}_trigger`,
  toSearchText: ({ own }) => toSearchText(own),
  save: routesOfTriggerKinds[kind].update,
  exists: (path) => new SvcError("trigger.exists", { path }),
  notFound: (path) => new SvcError("trigger.notFound", { path }),
  changed: (path) => new SvcError("trigger.changedMeanwhile", { path }),
  buildCopies: undefined,
});

/**
 * Creates a trigger. Throws `trigger.exists`, `trigger.source`, `trigger.sourceTaken`, `trigger.notPermittedAs`, `trigger.needsAdmin`, `trigger.needsSuperadmin`,
 * `trigger.routeTaken`, `trigger.tooManyRoutes`, `user.notFound`,
 * `script.notFound`, `flow.notFound`, `path.noFolder`, `workspace.notFound`, and `reference.refused` for arguments that refer to what the caller may
 * not read.
 */
export async function createTrigger(
  deps: Uses<"objects" | "sources" | "nowMs" | "mailDomain">,
  { actor, workspace, kind, path }: TriggerTarget,
  request: NewTrigger,
): Promise<void> {
  const { connections } = await createObject(deps, toTriggerPathKind(kind), { actor, workspace, path }, async () => {
    const id = randomUUID();
    const fields = await checkOwnFields(deps, { actor, workspace }, { kind, id }, request);
    const runAs = await checkRunnable(deps, { actor, workspace }, request, fields);
    const trigger = buildTrigger({ id, kind, own: fields }, runAs, request, { by: actor.username, atMs: deps.nowMs() });
    await checkArguments(deps, { actor, workspace }, trigger);
    return () => buildChange(deps, { actor, workspace }, undefined, trigger);
  });
  await connectNow(deps, connections);
}

/** Builds the change of a trigger together with the entries of its source and of its HTTP route. */
async function buildChange(deps: Uses<"objects">, caller: WorkspaceCaller, before: StoredTrigger | undefined, after: StoredTrigger) {
  return { value: after, ...(await buildLinkedParts(deps, caller, before, after)) };
}

async function buildLinkedParts(
  { objects }: Uses<"objects">,
  caller: WorkspaceCaller,
  before: StoredTrigger | undefined,
  after: StoredTrigger | undefined,
) {
  const { parts, connections } = buildSourceParts(caller.workspace, before, after);
  const routes = await buildHttpRouteParts(objects, caller, before, after);
  return { parts: [...parts, ...routes, ...buildReleaseParts(caller.workspace, before, after)], sent: undefined, connections };
}

/**
 * Changes a trigger; another `path` renames it. Its jobs then run with the caller's rights. A request of another user must contain each field that acts
 * with these rights. Throws as `createTrigger` does, `trigger.notFound` and `identity.fieldsMissing`.
 */
export async function updateTrigger(
  deps: Uses<"objects" | "sources" | "nowMs" | "mailDomain">,
  target: TriggerTarget,
  request: NewTrigger,
): Promise<void> {
  const { actor, workspace, kind, path } = target;
  const { connections } = await changeObject(deps, toTriggerPathKind(kind), { ...target, to: request.path }, async () => {
    const existing = requireTrigger(await deps.objects.get(triggerObject.key(workspace, kind, path)), path);
    const fields = await checkOwnFields(deps, { actor, workspace }, existing, request);
    const runAs = await checkRunnable(deps, { actor, workspace }, request, fields);
    return async (before) => {
      requireActingFields(before, runAs, {
        error_handler_path: request.error_handler_path === undefined ? before.errorHandlerPath : undefined,
        error_handler_args: request.error_handler_args === undefined ? before.errorHandlerArgs : undefined,
        retry: request.retry === undefined ? before.retry : undefined,
      });
      const edit = { by: actor.username, atMs: deps.nowMs() };
      const trigger = { ...buildTrigger({ id: before.id, kind, own: fields }, runAs, request, edit, before), path: request.path };
      await checkArguments(deps, { actor, workspace }, trigger);
      return buildChange(deps, { actor, workspace }, before, trigger);
    };
  });
  await connectNow(deps, connections);
}

/** Checks all arguments of a trigger, which are resolved with the rights of its user. Throws `reference.refused`. */
function checkArguments(deps: Uses<"objects">, caller: WorkspaceCaller, { errorHandlerArgs, retry }: StoredTrigger): Promise<void> {
  return checkStoredArguments(deps, caller, { error_handler_args: errorHandlerArgs }, retry);
}

/**
 * Sets the mode of a trigger. Enabling it releases the jobs that have waited since it was suspended, so the caller, with the scopes of the token,
 * must have the right to run them. Throws `trigger.notFound`, `script.notFound` and `flow.notFound`.
 */
export async function setTriggerMode(
  deps: Uses<"objects" | "sources" | "nowMs" | "mailDomain">,
  target: TriggerTarget,
  mode: TriggerMode,
): Promise<void> {
  const { actor, workspace, kind } = target;
  const { connections } = await changeObject(deps, toTriggerPathKind(kind), target, async () => async (before) => {
    const { scriptPath, isFlow } = before;
    if (mode !== "disabled" && scriptPath !== "") permitRun(actor, workspace, { path: scriptPath, isFlow });
    const after = { ...before, mode, editedBy: actor.username, editedAtMs: deps.nowMs() };
    return buildChange(deps, { actor, workspace }, before, after);
  });
  await connectNow(deps, connections);
}

/** Deletes a trigger with its extra permissions. Throws `trigger.notFound`, `object.versionChanged`. */
export async function deleteTrigger(deps: Uses<"objects" | "sources" | "nowMs" | "mailDomain">, target: TriggerTarget): Promise<void> {
  const { actor, workspace, kind } = target;
  const { connections } = await removeObject(deps, toTriggerPathKind(kind), target, (before) =>
    buildLinkedParts(deps, { actor, workspace }, before, undefined),
  );
  await connectNow(deps, connections);
}

/** A suspended trigger that is enabled has jobs to release. Jobs of a deleted one can be run or canceled one by one. */
function buildReleaseParts(workspace: string, before: StoredTrigger | undefined, after: StoredTrigger | undefined): TransactionPart[] {
  if (before?.mode !== "suspended" || after?.mode !== "enabled") return [];
  return [
    { write: write.put({ ...releaseObject.key(workspace, before.id), value: { id: before.id, of: workspace } }), refused: undefined },
  ];
}

function buildTrigger(
  { id, kind, own }: Pick<StoredTrigger, "id" | "kind" | "own">,
  runAs: RunAs,
  request: NewTrigger,
  edit: { by: string; atMs: number },
  before?: StoredTrigger,
): StoredTrigger {
  const enabled = request.enabled == null ? undefined : request.enabled ? ("enabled" as const) : ("disabled" as const);
  const keep = <T>(value: T | null | undefined, old: T | undefined) => (value === undefined ? old : (value ?? undefined));
  const optional = {
    labels: keep(request.labels, before?.labels),
    errorHandlerPath: keep(request.error_handler_path, before?.errorHandlerPath),
    errorHandlerArgs: keep(request.error_handler_args, before?.errorHandlerArgs),
    retry: keep(request.retry, before?.retry),
  };
  return {
    id,
    kind,
    path: request.path,
    scriptPath: request.script_path,
    isFlow: request.is_flow,
    mode: request.mode ?? enabled ?? before?.mode ?? "enabled",
    ...runAs,
    own,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    editedBy: edit.by,
    editedAtMs: edit.atMs,
  };
}

/** Checks that the caller may run the script or flow and the error handler, and returns the user with whose rights the jobs run. */
async function checkRunnable(
  { objects }: Uses<"objects">,
  caller: WorkspaceCaller,
  request: NewTrigger,
  fields: StoredTrigger["own"],
): Promise<RunAs> {
  const { workspace } = caller;
  const { script_path: path, is_flow: isFlow } = request;
  checkCustomScript(fields, { path, isFlow, preprocessor: path === "" ? undefined : await findPreprocessor(objects, caller, request) });
  const handler = await findHandlerTarget(objects, workspace, request.error_handler_path ?? "");
  if (handler) await requireRunnableHandler({ objects }, caller, handler);
  return resolveRunAs({ objects }, caller, request, (permissionedAs) => new SvcError("trigger.notPermittedAs", { permissionedAs }));
}

/** Returns the preprocessor of the script or the flow, which the caller may run. */
async function findPreprocessor(
  objects: ObjectStore,
  { actor, workspace }: WorkspaceCaller,
  { script_path: path, is_flow: isFlow }: NewTrigger,
): Promise<unknown> {
  permitRun(actor, workspace, { path, isFlow });
  const { preprocessor } = isFlow
    ? requireNewestFlow(await objects.get(flowHeadObject.key(workspace, path)), path)
    : requireNewestScript(await objects.get(scriptHeadObject.key(workspace, path)), path);
  return preprocessor;
}

/** Returns the kind's own fields, after the check that the workspace may use their source. Throws `trigger.source`. */
async function checkOwnFields(
  deps: Uses<"objects" | "sources" | "mailDomain">,
  caller: WorkspaceCaller,
  { kind, id }: Pick<StoredTrigger, "kind" | "id">,
  request: NewTrigger,
): Promise<StoredTrigger["own"]> {
  // The route has checked the body, which also contains the common fields.
  const parsed = ownFieldSchemas[kind].parse(request);
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

function checkLocalPart({ mailDomain }: Uses<"mailDomain">, workspace: string, fields: EmailFields): void {
  const refuse = (reason: string) => new SvcError("trigger.source", { field: "local_part", reason });
  if (!mailDomain) throw refuse("this deployment receives no mail, because it has no mailDomain");
  const local = buildLocalPart(workspace, fields);
  if (local.length > 64) throw refuse("the part before @ has more than 64 characters");
  if (RESERVED_LOCAL_PARTS.has(local)) throw refuse(`${local} is reserved for the owner of the domain`);
}

async function checkQueue({ sources }: Uses<"sources">, { actor, workspace }: WorkspaceCaller, fields: SqsFields): Promise<void> {
  const { aws_resource_path: path } = fields;
  if (path && !may(actor, actions.readResource.access, { workspace, path }))
    throw new SvcError("trigger.source", { field: "aws_resource_path", reason: UNREADABLE_RESOURCE });
  const reason = path
    ? await sources.checkSource({ workspace, check: { type: "remoteQueue", url: fields.queue_url } })
    : await sources.checkSource({ workspace, check: { type: "queue", url: fields.queue_url } });
  if (reason !== undefined) throw new SvcError("trigger.source", { field: "queue_url", reason });
}

async function checkAwsSource(
  { objects, sources }: Uses<"objects" | "sources">,
  workspace: string,
  id: string,
  fields: AwsFields,
): Promise<void> {
  const field = { sns: "topic_arn", eventbridge: "bus", s3: "bucket" }[fields.source];
  const missing = findMissingSource(fields, (await loadAllowedSources(objects))[workspace] ?? []);
  if (missing !== undefined) {
    const reason = `an administrator of the instance must first list ${missing} for this workspace in the setting aws_trigger_sources`;
    throw new SvcError("trigger.source", { field, reason });
  }
  if (fields.source === "sns") return;
  const pattern = buildEventPattern(fields);
  const reason = await sources.checkSource({ workspace, check: { type: "rule", id, bus: fields.bus ?? "default", pattern } });
  if (reason !== undefined) throw new SvcError("trigger.source", { field: fields.source === "s3" ? "bucket" : "event_pattern", reason });
}

/** The change is stored already, so a failure here is only a delay: housekeeping repeats the check. */
async function connectNow({ sources }: Uses<"sources">, connections: Connection[]): Promise<void> {
  if (connections.length === 0) return;
  await sources
    .invokeConnect({ connections })
    .catch((error: unknown) =>
      reportFailure("The sources of a trigger could not be connected yet", error, { connections: connections.length }),
    );
}
