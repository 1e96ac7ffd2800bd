import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { publicKey } from "../../aws/kms/signing-keys.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { type FlowPreview, flowRunRoutes as flowRoutes } from "../../contract/routes/flows/flow-runs.ts";
import { type Preview, type RunQuery, runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import type { Job } from "../../core/jobs/job.ts";
import { replyOf } from "../../core/reply/reply.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { joinRun, runFlowSync, runSync, type SyncAnswer } from "../../services/execution/run-sync.ts";
import { flowVersionOf, newestFlowAt } from "../../services/flows/definitions/load.ts";
import { restartFlow } from "../../services/flows/lifecycle/restart.ts";
import { permit } from "../../services/identity/permit.ts";
import { eraseAfterReply } from "../../services/jobs/erasure/erase.ts";
import { enqueue, type NewJob } from "../../services/jobs/queue/enqueue.ts";
import { checkQueue } from "../../services/jobs/queue/queue-limit.ts";
import { findPreviousRun, type IdempotencyKey } from "../../services/jobs/queue/record.ts";
import { findJob } from "../../services/jobs/read/read.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { syncLimit } from "../../services/settings/sync-limit.ts";
import { apiHandler, logger, on, refuse } from "../shared/edge.ts";
import { executor } from "../shared/executor.ts";
import { flowInstead } from "../shared/flow-instead.ts";
import { idempotencyKeyFrom } from "../shared/once.ts";
import { jsonText, type Reply, text } from "../shared/reply.ts";
import { authenticateRun, flowJob, jobOf, type RunAuth, readCall, type ScriptCall, scriptJob } from "../shared/run-call.ts";
import { rerunJobs } from "./rerun.ts";

const nowMs = Date.now;
const collaborators = { ...executor("run"), objects: objectTable };

interface QueueLimited {
  query: { queue_limit?: number | undefined };
}
/** A result that nobody could be given in time is there to be read for an hour, before it is erased as its script or flow asks. */
const UNANSWERED_S = 3600;

interface FlowPreviewCall extends Omit<PreviewCall, "query" | "body"> {
  query: RunQuery;
  body: FlowPreview;
}
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
  const once = idempotencyKeyFrom(headers, [workspace, auth.actor.email, "preview"], { args: { args, code, language }, files: [] });
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
async function unlessKnown(
  once: IdempotencyKey | undefined,
  replay: (job: Job) => Promise<Reply>,
  start: () => Promise<Reply>,
): Promise<Reply> {
  const known = once && (await findPreviousRun(collaborators, once));
  if (!known) return start();
  const reply = await replay(known);
  return { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } };
}

const accepted = async ({ id }: { id: string }): Promise<Reply> => text(201, id, { "x-svc-job-id": id });
const joined =
  ({ auth }: { auth: RunAuth }) =>
  async (job: Job): Promise<Reply> =>
    shape(await joinRun(collaborators, auth.actor, job, await limitMs()));
const limitMs = syncLimit({ objects: objectTable, nowMs });

async function runScript(call: ScriptCall, runnable: Runnable): Promise<Reply> {
  const asked = await readCall(call, runnable);
  return unlessKnown(asked.once, accepted, async () =>
    accepted(await enqueue(collaborators, await scriptJob(collaborators, call, runnable, asked))),
  );
}

/** A script, or the flow that its address means where there is none. */
async function eitherOf<C extends ScriptCall & { params: Parameters<typeof flowInstead>[2] }>(
  call: C,
  flow: (call: C, flow: RunnableFlow) => Promise<Reply>,
  script: () => Promise<Reply>,
): Promise<Reply> {
  const instead = await flowInstead(objectTable, call.auth, call.params);
  return instead ? flow(call, instead) : script();
}

async function runFlow(call: ScriptCall, flow: RunnableFlow): Promise<Reply> {
  const asked = await readCall(call, flow);
  return unlessKnown(asked.once, accepted, async () =>
    accepted(await enqueue(collaborators, await flowJob(collaborators, call, flow, asked))),
  );
}

async function waitFlow(call: ScriptCall & QueueLimited, flow: RunnableFlow): Promise<Reply> {
  const asked = await readCall(call, flow);
  return unlessKnown(asked.once, joined(call), async () => {
    await checkQueue(collaborators, flow.workspace, call.query.queue_limit);
    const { deleteAfterS } = flow;
    const job = { ...(await flowJob(collaborators, call, flow, asked)), eraseAfterS: unanswered(deleteAfterS) };
    return erasing(await runFlowSync(collaborators, job, await limitMs()), deleteAfterS);
  });
}

function flowPreviewJob({ auth, params: { workspace }, query, body, headers }: FlowPreviewCall): NewJob {
  const { value, path, args } = body;
  const once = idempotencyKeyFrom(headers, [workspace, auth.actor.email, "preview_flow"], { args: { args, value }, files: [] });
  return {
    ...jobOf(auth.actor, workspace, query, nowMs()),
    kind: "flowpreview",
    path: path ?? undefined,
    code: { flow: value },
    args: args ?? {},
    tag: query.tag ?? body.tag ?? "flow",
    timeoutS: limits.flowTimeoutS,
    eraseAfterS: value.delete_after_secs ?? undefined,
    once,
  };
}

async function waitScript(call: ScriptCall & QueueLimited, runnable: Runnable): Promise<Reply> {
  const asked = await readCall(call, runnable);
  return unlessKnown(asked.once, joined(call), async () => {
    await checkQueue(collaborators, runnable.workspace, call.query.queue_limit);
    const { deleteAfterS } = runnable;
    const job = { ...(await scriptJob(collaborators, call, runnable, asked)), eraseAfterS: unanswered(deleteAfterS) };
    return erasing(await runSync(collaborators, job, runnable, await limitMs()), deleteAfterS);
  });
}

const unanswered = (deleteAfterS: number | undefined) => (deleteAfterS === undefined ? undefined : Math.max(deleteAfterS, UNANSWERED_S));

/** The reply, after which what the run left is erased as its script or flow asks. */
async function erasing(answer: SyncAnswer, deleteAfterS: number | undefined): Promise<Reply> {
  const reply = shape(answer);
  if (deleteAfterS === undefined) return reply;
  // A result behind a link must be there for as long as the link works. What fails here is done by housekeeping, and the reply is due.
  await eraseAfterReply(collaborators, answer.id, Math.max(deleteAfterS, answer.linkS ?? 0)).catch((error: unknown) =>
    logger.error("erase", error as Error),
  );
  return reply;
}

function runJob(job: NewJob): Promise<Reply> {
  return unlessKnown(job.once, accepted, async () => accepted(await enqueue(collaborators, job)));
}

function waitJob(call: { auth: RunAuth } & QueueLimited, job: NewJob): Promise<Reply> {
  return unlessKnown(job.once, joined(call), async () => {
    await checkQueue(collaborators, job.workspace, call.query.queue_limit);
    const limit = await limitMs();
    return shape(
      await (job.kind === "flowpreview" ? runFlowSync(collaborators, job, limit) : runSync(collaborators, job, undefined, limit)),
    );
  });
}

function shape({ id, state, resultJson, stored, cached }: SyncAnswer): Reply {
  const ours = { "x-svc-job-id": id, "x-svc-job-state": state, ...(cached ? { "x-svc-cached": "true" } : {}) };
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
    on(routes.runScriptByPath, (call) => eitherOf(call, runFlow, () => runScript(call, newestAt(call.auth.head, call.params.path)))),
    on(routes.runScriptByHash, (call) => eitherOf(call, runFlow, () => runScript(call, versionOf(call.auth.head, call.params.hash)))),
    on(routes.runPreview, (call) => runJob(previewJob(call))),
    on(routes.runWaitScriptByPath, (call) => eitherOf(call, waitFlow, () => waitScript(call, newestAt(call.auth.head, call.params.path)))),
    on(routes.runWaitScriptByPathGet, (call) =>
      eitherOf(call, waitFlow, () => waitScript(call, newestAt(call.auth.head, call.params.path))),
    ),
    on(routes.runWaitScriptByHash, (call) => eitherOf(call, waitFlow, () => waitScript(call, versionOf(call.auth.head, call.params.hash)))),
    on(routes.runWaitScriptByHashGet, (call) =>
      eitherOf(call, waitFlow, () => waitScript(call, versionOf(call.auth.head, call.params.hash))),
    ),
    on(routes.runWaitPreview, (call) => waitJob(call, previewJob(call))),
    on(flowRoutes.runFlowByPath, (call) => runFlow(call, newestFlowAt(call.auth.head, call.params.path))),
    on(flowRoutes.runFlowByVersion, (call) => runFlow(call, flowVersionOf(call.auth.head, call.params.version))),
    on(flowRoutes.runFlowPreview, (call) => runJob(flowPreviewJob(call))),
    on(flowRoutes.runWaitFlowByPath, (call) => waitFlow(call, newestFlowAt(call.auth.head, call.params.path))),
    on(flowRoutes.runWaitFlowByPathGet, (call) => waitFlow(call, newestFlowAt(call.auth.head, call.params.path))),
    on(flowRoutes.runWaitFlowByVersion, (call) => waitFlow(call, flowVersionOf(call.auth.head, call.params.version))),
    on(flowRoutes.runWaitFlowByVersionGet, (call) => waitFlow(call, flowVersionOf(call.auth.head, call.params.version))),
    on(flowRoutes.runWaitFlowPreview, (call) => waitJob(call, flowPreviewJob(call))),
    on(flowRoutes.restartFlow, async ({ auth, params: { workspace, id }, query, body }) => {
      const origin = await findJob(collaborators, { actor: auth.actor, action: "jobs.get" }, workspace, id);
      permit(auth.actor, origin.kind === "flow" ? "jobs.run.flows" : "jobs.run.previewFlow", { workspace, path: origin.path });
      return accepted(await restartFlow(collaborators, auth.actor, origin, body, jobOf(auth.actor, workspace, query, nowMs())));
    }),
    on(routes.rerunJobs, (call) => rerunJobs(collaborators, call)),
  ],
  authenticateRun({ objects: objectTable, jobs: jobTable, publicKey, nowMs }),
);
