import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { type Preview, type RunQuery, runRoutes as routes } from "../../contract/routes/runs.ts";
import type { Job } from "../../core/jobs/job.ts";
import { replyOf } from "../../core/reply/reply.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { enqueue, type NewJob } from "../../services/jobs/accept.ts";
import { eraseAfterReply } from "../../services/jobs/erase.ts";
import { knownCall, type Once } from "../../services/jobs/record.ts";
import { joinRun, runSync, type SyncAnswer } from "../../services/jobs/run-sync.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, on, refuse } from "../shared/edge.ts";
import { executor } from "../shared/executor.ts";
import { onceOf } from "../shared/once.ts";
import { jsonText, type Reply, text } from "../shared/reply.ts";
import { authenticateRun, jobOf, type RunAuth, readCall, type ScriptCall, scriptJob } from "../shared/run-call.ts";

const nowMs = Date.now;
const collaborators = { ...executor("run"), objects: objectTable };

interface PreviewCall {
  auth: RunAuth;
  params: { workspace: string };
  query: RunQuery & { timeout?: number | undefined };
  body: Preview;
  headers: Payload["headers"];
}

function previewJob({ auth, params: { workspace }, query, body, headers }: PreviewCall): NewJob {
  const { content, language, path, args = {}, lock } = body;
  const code = { content, ...(lock === undefined ? {} : { lock }) };
  const once = onceOf(headers, [workspace, auth.actor.email, "preview"], { args: { args, code, language }, files: [] });
  const tag = query.tag ?? body.tag ?? language;
  return {
    ...jobOf(auth.actor, workspace, query, nowMs()),
    kind: "preview",
    path,
    language,
    code,
    args,
    tag,
    timeoutS: query.timeout,
    once,
  };
}

/** What an equal call has started already, or what `start` starts. */
async function unlessKnown(once: Once | undefined, replay: (job: Job) => Promise<Reply>, start: () => Promise<Reply>): Promise<Reply> {
  const known = once && (await knownCall(collaborators, once));
  if (!known) return start();
  const reply = await replay(known);
  return { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } };
}

const accepted = async ({ id }: { id: string }): Promise<Reply> => text(201, id, { "x-svc-job-id": id });
const joined =
  ({ auth }: { auth: RunAuth }) =>
  async (job: Job): Promise<Reply> =>
    shape(await joinRun(collaborators, auth.actor, job, deadline()));
const deadline = () => nowMs() + limits.syncCallMs;

async function runScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  const asked = await readCall(call, runnable);
  return unlessKnown(asked.once, accepted, async () =>
    accepted(await enqueue(collaborators, await scriptJob(collaborators, call, runnable, asked))),
  );
}

async function waitScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  const asked = await readCall(call, runnable);
  return unlessKnown(asked.once, joined(call), async () => {
    const answer = await runSync(collaborators, await scriptJob(collaborators, call, runnable, asked), runnable, deadline());
    const reply = shape(answer);
    const { deleteAfterS } = runnable;
    // A result behind a link must be there for as long as the link works.
    if (deleteAfterS !== undefined) await eraseAfterReply(collaborators, answer.id, Math.max(deleteAfterS, answer.linkS ?? 0));
    return reply;
  });
}

function runPreview(call: PreviewCall): Promise<Reply> {
  const job = previewJob(call);
  return unlessKnown(job.once, accepted, async () => accepted(await enqueue(collaborators, job)));
}

function waitPreview(call: PreviewCall): Promise<Reply> {
  const job = previewJob(call);
  return unlessKnown(job.once, joined(call), async () => shape(await runSync(collaborators, job, undefined, deadline())));
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

export const handler = apiHandler<RunAuth>(
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
  authenticateRun({ objects: objectTable, jobs: jobTable, publicKey, nowMs }),
);
