import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { env } from "../../contract/env.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { type PayloadQuery, type Preview, type RunQuery, runRoutes as routes } from "../../contract/routes/runs.ts";
import type { Job } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { type Arguments, argumentsOf } from "../../core/payload/arguments.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { replyOf } from "../../core/reply/reply.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { storeFiles } from "../../services/files/store.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue, type NewJob } from "../../services/jobs/accept.ts";
import { eraseAfterReply } from "../../services/jobs/erase.ts";
import { knownCall, type Once } from "../../services/jobs/record.ts";
import { joinRun, runSync, type SyncAnswer } from "../../services/jobs/run-sync.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, on, refuse } from "../shared/edge.ts";
import { executor } from "../shared/executor.ts";
import { jsonText, type Reply, text } from "../shared/reply.ts";
import { onceOf } from "./once.ts";

const nowMs = Date.now;
const collaborators = { ...executor("run"), objects: objectTable };

/** Token and script head are read in one round trip: the run path has no other read. */
interface Auth {
  actor: Actor;
  head: StoredObject | undefined;
}

/** Headers that every run gets as arguments. */
const everyRun = (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim() || []);

/** Where a call comes from and what it sends. */
interface ScriptCall {
  auth: Auth;
  query: PayloadQuery;
  payload: Payload;
}

/** What a call asks to be run, before anything of it is stored. */
interface Asked {
  arguments: Arguments;
  once: Once | undefined;
}

async function read(call: ScriptCall, workspace: string, runnable: string): Promise<Asked> {
  const { auth, query, payload } = call;
  const found = await argumentsOf(payload, {
    wrapBody: query.wrap_body ?? false,
    raw: query.raw ?? false,
    headers: [...everyRun, ...(query.include_header ?? [])],
    query: query.include_query ?? [],
  });
  return { arguments: found, once: onceOf(payload.headers, [workspace, auth.actor.username, runnable], found) };
}

async function store(workspace: string, { args, files }: Arguments): Promise<Record<string, unknown>> {
  return files.length === 0 ? args : { ...args, ...(await storeFiles(collaborators, workspace, files)) };
}

/** The job that a call asks for. */
function asked(auth: Auth, workspace: string, query: RunQuery, rest: Pick<NewJob, "kind" | "args"> & Partial<NewJob>): NewJob {
  const { job_id: id, parent_job: parent, root_job: root, scheduled_in_secs: delayS, scheduled_for: at, tag } = query;
  const scheduledForMs = at !== undefined ? Date.parse(at) : delayS ? nowMs() + delayS * 1000 : undefined;
  return { actor: auth.actor, workspace, id, parent, root, scheduledForMs, ...rest, tag: tag ?? rest.tag };
}

async function ofScript({ auth, query }: ScriptCall, runnable: Runnable, sent: Asked): Promise<NewJob> {
  const { workspace, path, hash, language, timeoutS, tag } = runnable;
  const args = await store(workspace, sent.arguments);
  return asked(auth, workspace, query, { kind: "script", path, hash, language, timeoutS, tag, args, once: sent.once });
}

type PreviewQuery = RunQuery & { timeout?: number | undefined };
interface PreviewCall {
  auth: Auth;
  params: { workspace: string };
  query: PreviewQuery;
  body: Preview;
  headers: Payload["headers"];
}

function ofPreview({ auth, params: { workspace }, query, body, headers }: PreviewCall): NewJob {
  const { content, language, path, args = {}, lock, tag } = body;
  const code = { content, ...(lock === undefined ? {} : { lock }) };
  const once = onceOf(headers, [workspace, auth.actor.username, "preview"], { args: { args, code, language }, files: [] });
  const timeoutS = query.timeout;
  return asked(auth, workspace, query, { kind: "preview", path, language, code, args, tag: tag ?? language, timeoutS, once });
}

/** What an equal call has started already, or what `start` starts. */
async function unlessKnown(once: Once | undefined, replay: (job: Job) => Promise<Reply>, start: () => Promise<Reply>): Promise<Reply> {
  const known = once && (await knownCall(collaborators, once));
  if (!known) return start();
  const reply = await replay(known);
  return { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } };
}

const accepted = ({ id }: { id: string }): Reply => text(201, id, { "x-svc-job-id": id });
const deadline = () => nowMs() + limits.syncCallMs;

async function runScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  const sent = await read(call, runnable.workspace, runnable.path);
  return unlessKnown(
    sent.once,
    async (job) => accepted(job),
    async () => accepted(await enqueue(collaborators, await ofScript(call, runnable, sent))),
  );
}

async function waitScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  const sent = await read(call, runnable.workspace, runnable.path);
  return unlessKnown(
    sent.once,
    async (job) => shape(await joinRun(collaborators, call.auth.actor, job, deadline())),
    async () => {
      const answer = await runSync(collaborators, await ofScript(call, runnable, sent), runnable, deadline());
      const reply = shape(answer);
      const { deleteAfterS } = runnable;
      // A result behind a link must be there for as long as the link works.
      if (deleteAfterS !== undefined) await eraseAfterReply(collaborators, answer.id, Math.max(deleteAfterS, answer.linkS ?? 0));
      return reply;
    },
  );
}

function runPreview(call: PreviewCall): Promise<Reply> {
  const job = ofPreview(call);
  return unlessKnown(
    job.once,
    async (known) => accepted(known),
    async () => accepted(await enqueue(collaborators, job)),
  );
}

function waitPreview(call: PreviewCall): Promise<Reply> {
  const job = ofPreview(call);
  return unlessKnown(
    job.once,
    async (known) => shape(await joinRun(collaborators, call.auth.actor, known, deadline())),
    async () => shape(await runSync(collaborators, job, undefined, deadline())),
  );
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

export const handler = apiHandler<Auth>(
  [
    on(routes.runScriptByPath, (call) => runScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runScriptByHash, (call) => runScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runPreview, (call) => runPreview(call)),
    on(routes.runWaitScriptByPath, (call) => waitScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runWaitScriptByPathGet, (call) => waitScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.runWaitScriptByHash, (call) => waitScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runWaitScriptByHashGet, (call) => waitScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.runWaitPreview, (call) => waitPreview(call)),
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
