import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { env } from "../../contract/env.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { type PayloadQuery, type Preview, type RunQuery, runRoutes as routes } from "../../contract/routes/runs.ts";
import { keys } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { argumentsOf } from "../../core/payload/arguments.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { replyOf } from "../../core/reply/reply.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { storeFiles } from "../../services/files/store.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue, type NewJob } from "../../services/jobs/accept.ts";
import { runSync, type SyncAnswer } from "../../services/jobs/run-sync.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, on, refuse } from "../shared/edge.ts";
import { executor } from "../shared/executor.ts";
import { jsonText, type Reply, text } from "../shared/reply.ts";

const nowMs = Date.now;
const collaborators = executor("run");

/** Token and script head are read in one round trip: the run path has no other read. */
interface Auth {
  actor: Actor;
  head: StoredObject | undefined;
}

/** Headers that every run gets as arguments. */
const everyRun = (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim() || []);

/** The arguments of a call; the files among them are stored before anything runs. */
async function argsOf(workspace: string, payload: Payload, query: PayloadQuery): Promise<Record<string, unknown>> {
  const { args, files } = await argumentsOf(payload, {
    wrapBody: query.wrap_body ?? false,
    raw: query.raw ?? false,
    headers: [...everyRun, ...(query.include_header ?? [])],
    query: query.include_query ?? [],
  });
  return files.length === 0 ? args : { ...args, ...(await storeFiles(collaborators, workspace, files)) };
}

/** The job that a call asks for. */
function asked(auth: Auth, workspace: string, query: RunQuery, rest: Pick<NewJob, "kind" | "args"> & Partial<NewJob>): NewJob {
  const { job_id: id, parent_job: parent, root_job: root, scheduled_in_secs: delayS, scheduled_for: at, tag } = query;
  const scheduledForMs = at !== undefined ? Date.parse(at) : delayS ? nowMs() + delayS * 1000 : undefined;
  return { actor: auth.actor, workspace, id, parent, root, scheduledForMs, ...rest, tag: tag ?? rest.tag };
}

interface ScriptCall {
  auth: Auth;
  query: PayloadQuery;
  payload: Payload;
}

async function ofScript({ auth, query, payload }: ScriptCall, runnable: Runnable): Promise<NewJob> {
  const { workspace, path, hash, language, timeoutS, tag } = runnable;
  const args = await argsOf(workspace, payload, query);
  return asked(auth, workspace, query, { kind: "script", path, hash, language, timeoutS, tag, args });
}

function ofPreview(auth: Auth, workspace: string, query: RunQuery & { timeout?: number | undefined }, preview: Preview): NewJob {
  const { content, language, path, args = {}, lock, tag } = preview;
  const code = { content, ...(lock === undefined ? {} : { lock }) };
  return asked(auth, workspace, query, { kind: "preview", path, language, code, args, tag: tag ?? language, timeoutS: query.timeout });
}

async function accept(job: NewJob): Promise<Reply> {
  const { id } = await enqueue(collaborators, job);
  return text(201, id, { "x-svc-job-id": id });
}

async function wait(job: NewJob, runnable?: Runnable): Promise<Reply> {
  return shape(await runSync(collaborators, job, runnable, nowMs() + limits.syncCallMs));
}

function shape({ id, state, resultJson, stored }: SyncAnswer): Reply {
  const ours = { "x-svc-job-id": id, "x-svc-job-state": state };
  if (resultJson === undefined) return jsonText(200, JSON.stringify(stored), ours);
  try {
    const { status, headers, body, base64 } = replyOf(id, resultJson);
    return { statusCode: status, headers: { ...headers, ...ours }, body, isBase64Encoded: base64 };
  } catch (error) {
    // The run went as it went: only its reply cannot be made.
    if (isSvcError(error)) return refuse(error, ours);
    throw error;
  }
}

async function runScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  return accept(await ofScript(call, runnable));
}

async function waitScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  return wait(await ofScript(call, runnable), runnable);
}

export const handler = apiHandler<Auth>(
  [
    on(routes.runScriptByPath, (call) => runScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runScriptByHash, (call) => runScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runPreview, ({ auth, params, query, body }) => accept(ofPreview(auth, params.workspace, query, body))),
    on(routes.runWaitScriptByPath, (call) => waitScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runWaitScriptByPathGet, (call) => waitScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runWaitScriptByHash, (call) => waitScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runWaitScriptByHashGet, (call) => waitScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runWaitPreview, ({ auth, params, query, body }) => wait(ofPreview(auth, params.workspace, query, body))),
  ],
  async (token, route, { workspace = "", path, hash }) => {
    // A script proves that its workspace exists; a preview needs the workspace's own record.
    const head =
      path !== undefined
        ? keys.scriptHead(workspace, path)
        : hash !== undefined
          ? keys.version(workspace, hash)
          : keys.workspace(workspace);
    const { actor, read } = await authenticate({ objects: objectTable, jobs: jobTable, publicKey, nowMs }, token, [head]);
    if (!may(actor, route.name, { workspace, ...(path === undefined ? {} : { path }) }))
      throw new SvcError("auth.forbidden", { action: route.name });
    if (head.pk === keys.workspace(workspace).pk && !read[0]) throw new SvcError("workspace.notFound", { workspace });
    return { actor, head: read[0] };
  },
);
