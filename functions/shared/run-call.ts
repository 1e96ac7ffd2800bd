import { v7 as uuidv7 } from "uuid";
import type { publicKey } from "../../aws/kms/signing-keys.ts";
import type { Storage } from "../../aws/s3/storage.ts";
import { env } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import type { Route } from "../../contract/route.ts";
import type { PayloadQuery, RunQuery } from "../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import { keys, type ObjectKey } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { type Arguments, argumentsOf, argumentsWithFiles, type WebhookEvent } from "../../core/payload/arguments.ts";
import { preprocessorArguments } from "../../core/payload/preprocessor.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { ENTRYPOINT_ARGUMENT } from "../../services/execution/invoke-runner.ts";
import { storeFiles } from "../../services/files/store.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { jobOfFlow, jobOfVersion, type NewJob } from "../../services/jobs/queue/enqueue.ts";
import type { CreateJobDeps, IdempotencyKey } from "../../services/jobs/queue/record.ts";
import type { Authenticate } from "./edge.ts";
import { guard } from "./guard.ts";
import { idempotencyKeyFrom, webhookIdKeyFrom } from "./once.ts";

/** Who runs something, and the head of the script that was read with the token in one round trip: a run has no other read. */
export interface RunAuth {
  actor: Actor;
  head: StoredObject | undefined;
}

type Authenticator = Parameters<typeof authenticate>[0] & { publicKey: typeof publicKey };

/** Of a route that runs something: its script proves that the workspace exists; a preview needs the workspace's own record. */
export function authenticateRun(authenticator: Authenticator): Authenticate<RunAuth> {
  return async (token, route, params) => {
    const { workspace = "", path } = params;
    const wanted = runnableKey(route, params);
    const { actor, read } = await authenticate(authenticator, token, { workspace, alsoRead: [wanted ?? keys.workspace(workspace)] });
    // A version's path is known from its head, which is here already; one that is not there has none.
    const at = wanted && (path ?? (read[0]?.value as { path?: string } | undefined)?.path);
    guard(actor, route, params, { workspace, ...(at === undefined ? {} : { path: at }) });
    if (!wanted && !read[0]) throw new SvcError("workspace.notFound", { workspace });
    return { actor, head: read[0] };
  };
}

/** What a route runs: a script's or flow's newest version by path, or one exact version. */
function runnableKey({ path: address }: Route, { workspace = "", path, hash, version }: Record<string, string>): ObjectKey | undefined {
  if (path !== undefined) return address.includes("/f/{path+}") ? keys.flowHead(workspace, path) : keys.scriptHead(workspace, path);
  if (version !== undefined) return keys.flowVersion(workspace, Number(version));
  return hash === undefined ? undefined : keys.version(workspace, hash);
}

/** A call of a script's webhook. */
export interface ScriptCall {
  auth: RunAuth;
  query: PayloadQuery;
  payload: Payload;
}

/** What a call asks to be run, before anything of it is stored. */
export interface Asked {
  arguments: Arguments;
  once: IdempotencyKey | undefined;
}

/** Headers that every run gets as arguments. */
const everyRun = (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim() || []);

/** Reads a call's arguments and its idempotency key. Throws `payload.*`, `body.*` and `idempotency.key`. */
export async function readCall(
  { auth, query, payload }: ScriptCall,
  {
    workspace,
    path,
    preprocessor,
    onceByWebhookId: byWebhookId,
  }: Pick<Runnable, "workspace" | "path"> & {
    preprocessor?: unknown;
    onceByWebhookId?: boolean | undefined;
  },
): Promise<Asked> {
  // What a running job sends is meant for `main`: preprocessors are for what comes from outside.
  const preprocessed = preprocessor !== undefined && !query.skip_preprocessor && auth.actor.kind === "person";
  const found = await argumentsOf(payload, {
    wrapBody: query.wrap_body ?? false,
    raw: query.raw ?? false,
    headers: [...everyRun, ...(query.include_header ?? [])],
    query: query.include_query ?? [],
    event: preprocessed,
  });
  const who = [workspace, auth.actor.email, path];
  const once = idempotencyKeyFrom(payload.headers, who, found) ?? (byWebhookId ? webhookIdKeyFrom(payload.headers, who) : undefined);
  return { arguments: found, once };
}

/** The job that a call of a script asks for; its files are stored. */
export async function scriptJob(
  storing: Pick<CreateJobDeps, "nowMs" | "objects"> & { storage: Storage },
  { auth, query }: ScriptCall,
  runnable: Runnable,
  { arguments: sent, once }: Asked,
): Promise<NewJob> {
  const { workspace, preprocessor } = runnable;
  const { files, event } = sent;
  const version = jobOfVersion(runnable);
  const own = jobOf(auth.actor, workspace, query, storing.nowMs());
  const id = files.length === 0 ? own.id : (own.id ?? uuidv7());
  const stored = id === undefined || files.length === 0 ? {} : await storeFiles(storing, workspace, id, files);
  const all = argumentsWithFiles(sent, stored);
  return {
    ...own,
    ...version,
    id,
    tag: query.tag ?? version.tag,
    // None or 0 does not turn off what the script asks for.
    cacheTtlS: query.cache_ttl || version.cacheTtlS,
    // Who names another function than `main` calls that with what is sent.
    ...(event && preprocessor && all[ENTRYPOINT_ARGUMENT] === undefined
      ? { args: preprocessorArguments(preprocessor, all, eventWithFiles(event, stored)), preprocess: true }
      : { args: all }),
    once,
  };
}

/** The job that a call of a flow asks for; its files are stored. */
export async function flowJob(
  storing: Pick<CreateJobDeps, "nowMs" | "objects"> & { storage: Storage },
  { auth, query }: ScriptCall,
  flow: RunnableFlow,
  { arguments: sent, once }: Asked,
): Promise<NewJob> {
  const { workspace, preprocessor } = flow;
  const version = jobOfFlow(flow);
  const { files, event } = sent;
  const own = jobOf(auth.actor, workspace, query, storing.nowMs());
  const id = files.length === 0 ? own.id : (own.id ?? uuidv7());
  const stored = id === undefined || files.length === 0 ? {} : await storeFiles(storing, workspace, id, files);
  const all = argumentsWithFiles(sent, stored);
  return {
    ...own,
    ...version,
    id,
    tag: query.tag ?? version.tag,
    ...(event && preprocessor
      ? { args: preprocessorArguments({ params: null }, all, eventWithFiles(event, stored)), preprocess: true as const }
      : { args: all }),
    once,
  };
}

/** A form's files stand in its body as they do in the arguments. */
function eventWithFiles(event: WebhookEvent, stored: Record<string, unknown>): WebhookEvent {
  return Object.keys(stored).length === 0 ? event : { ...event, body: { ...(event.body as object), ...stored } };
}

/** What the query says of a job. */
export function jobOf(
  actor: Actor,
  workspace: string,
  query: RunQuery,
  nowMs: number,
): Pick<NewJob, "actor" | "workspace" | "id" | "parent" | "root" | "scheduledForMs"> {
  const { job_id: id, parent_job: parent, root_job: root, scheduled_in_secs: delayS, scheduled_for: at } = query;
  const scheduledForMs = at !== undefined ? Date.parse(at) : delayS ? nowMs + delayS * 1000 : undefined;
  return { actor, workspace, id, parent, root, scheduledForMs };
}
