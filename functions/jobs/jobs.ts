import type { TokenRoute } from "../../contract/route.ts";
import { userStateRoutes } from "../../contract/routes/flows/user-states.ts";
import { jobControlRoutes as control } from "../../contract/routes/jobs/job-control.ts";
import { jobListRoutes as lists, PARTIAL_COUNT_HEADER } from "../../contract/routes/jobs/job-lists.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs/jobs.ts";
import { runDetailRoutes as details } from "../../contract/routes/jobs/run-details.ts";
import { argsVisibleTo, getRootId, getScheduledMs } from "../../core/jobs/record/job.ts";
import { loadOutline } from "../../services/flows/inspection/outline.ts";
import { loadFullJobJson } from "../../services/flows/inspection/status.ts";
import { loadStepResult } from "../../services/flows/inspection/step-result.ts";
import { getUserState, setUserState } from "../../services/flows/runtime/user-states.ts";
import { cancelJob } from "../../services/jobs/cancel/cancel-job.ts";
import { cancelJobsOfPath, cancelSelectedJobs } from "../../services/jobs/cancel/cancel-selected-jobs.ts";
import { eraseJob } from "../../services/jobs/erasure/erase-job.ts";
import { findQueuePosition } from "../../services/jobs/queue/queue-limit.ts";
import { runJobNow } from "../../services/jobs/queue/run-job-now.ts";
import { countEndedJobs, countJobs, type JobCount } from "../../services/jobs/read/lists/count.ts";
import { listJobIds, listJobJsons } from "../../services/jobs/read/lists/list.ts";
import { listStartTimes } from "../../services/jobs/read/lists/start-times.ts";
import { loadJobStats } from "../../services/jobs/read/lists/stats.ts";
import { findEndedJob, findJob, findQueuedJob, type JobCaller, loadJobJson, waitForJobUpdate } from "../../services/jobs/read/read.ts";
import { getTiming, loadResult, loadResultIfEnded } from "../../services/jobs/read/result.ts";
import { setProgress } from "../../services/jobs/read/streams/progress.ts";
import { loadLogs, loadValue } from "../../services/jobs/values/values.ts";
import type { ApiRoutes, Auth } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, jsonText, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";
import { pageReply } from "./page-reply.ts";

const WITHOUT_VALUES = { args: false };
const callerOf = (auth: Auth, action: TokenRoute): JobCaller => ({ actor: auth.actor, action });

/** Replies with a number of jobs. A header marks it if it is a lower bound. */
const countReply = ({ count, complete }: JobCount, shape: "object" | "number") =>
  json(200, shape === "object" ? { database_length: count } : count, complete ? {} : { [PARTIAL_COUNT_HEADER]: "true" });

export const jobRoutes: ApiRoutes = [
  on(routes.getJob, async ({ auth, params: { workspace, id }, query }) => {
    const job = auth.linked ?? (await findJob(deps, callerOf(auth, routes.getJob), { workspace, id }));
    return json(200, await loadFullJobJson(deps, job, { logs: !query.no_logs, code: !query.no_code }));
  }),
  on(routes.getRootJobId, async ({ auth, params: { workspace, id } }) =>
    json(200, getRootId(await findJob(deps, callerOf(auth, routes.getRootJobId), { workspace, id }))),
  ),
  on(routes.getLogs, async ({ auth, params: { workspace, id } }) =>
    text(200, await loadLogs(deps, await findJob(deps, callerOf(auth, routes.getLogs), { workspace, id }))),
  ),
  on(routes.getFlowLogs, async ({ auth, params: { workspace, id } }) => {
    const caller = callerOf(auth, routes.getFlowLogs);
    // Loaded on first use, because this route is rarely called.
    const { loadFlowLogs: loadAllLogs } = await import("../../services/flows/inspection/logs.ts");
    return text(200, await loadAllLogs(deps, caller, await findJob(deps, caller, { workspace, id })));
  }),
  on(routes.getArgs, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(deps, callerOf(auth, routes.getArgs), { workspace, id });
    return jsonText(200, await loadValue(deps, job, argsVisibleTo(auth.actor, job)));
  }),
  on(routes.getCompletedJob, async ({ auth, params: { workspace, id } }) =>
    json(
      200,
      await loadFullJobJson(deps, await findEndedJob(deps, callerOf(auth, routes.getCompletedJob), { workspace, id }), {
        logs: true,
        code: true,
      }),
    ),
  ),
  on(routes.getResult, async ({ auth, params: { workspace, id } }) => {
    const { linked } = auth;
    return jsonText(200, await loadResult(deps, linked ? { linked } : callerOf(auth, routes.getResult), { workspace, id }));
  }),
  on(routes.getResultMaybe, async ({ auth, params: { workspace, id } }) =>
    json(200, await loadResultIfEnded(deps, callerOf(auth, routes.getResultMaybe), { workspace, id })),
  ),
  on(routes.getStepResult, async ({ auth, params: { workspace, id, node: step } }) =>
    jsonText(200, await loadStepResult(deps, callerOf(auth, routes.getStepResult), { workspace, id, step })),
  ),
  on(routes.getTiming, async ({ auth, params: { workspace, id } }) =>
    json(200, await getTiming(deps, callerOf(auth, routes.getTiming), { workspace, id })),
  ),
  on(routes.getUpdate, async ({ auth, params: { workspace, id }, query }) =>
    json(200, await waitForJobUpdate(deps, callerOf(auth, routes.getUpdate), { workspace, id }, query)),
  ),

  on(details.getFlowOutline, async ({ auth, params: { workspace, id }, query }) => {
    const job = auth.linked ?? (await findJob(deps, callerOf(auth, details.getFlowOutline), { workspace, id }));
    return json(200, await loadOutline(deps, job, query, auth.linked === undefined));
  }),
  on(details.getCost, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(deps, callerOf(auth, details.getCost), { workspace, id });
    // Loaded on first use, because these routes are rarely called.
    const { estimateRunCost } = await import("../../services/flows/inspection/run-cost.ts");
    return json(200, await estimateRunCost(deps, job));
  }),
  on(details.getScriptCost, async ({ auth, params: { workspace, path } }) => {
    const { estimatePathCost } = await import("../../services/flows/inspection/run-cost.ts");
    return json(200, await estimatePathCost(deps, callerOf(auth, details.getScriptCost), { workspace, path, kind: "script" }));
  }),
  on(details.getFlowCost, async ({ auth, params: { workspace, path } }) => {
    const { estimatePathCost } = await import("../../services/flows/inspection/run-cost.ts");
    return json(200, await estimatePathCost(deps, callerOf(auth, details.getFlowCost), { workspace, path, kind: "flow" }));
  }),
  on(lists.listJobs, async ({ auth, params: { workspace }, query }) =>
    pageReply(await listJobJsons(deps, callerOf(auth, lists.listJobs), { workspace, query, scope: "all" })),
  ),
  on(lists.listQueue, async ({ auth, params: { workspace }, query }) =>
    pageReply(await listJobJsons(deps, callerOf(auth, lists.listQueue), { workspace, query, scope: "queue" })),
  ),
  on(lists.listCompleted, async ({ auth, params: { workspace }, query }) =>
    pageReply(await listJobJsons(deps, callerOf(auth, lists.listCompleted), { workspace, query, scope: "completed" })),
  ),
  on(lists.getStats, async ({ auth, params: { workspace }, query }) => {
    const stats = await loadJobStats(deps, callerOf(auth, lists.getStats), workspace, query);
    return json(200, stats, stats.partial ? { [PARTIAL_COUNT_HEADER]: "true" } : {});
  }),
  on(lists.listFilteredUuids, async ({ auth, params: { workspace }, query }) =>
    pageReply(await listJobIds(deps, callerOf(auth, lists.listFilteredUuids), { workspace, query, scope: "all" })),
  ),
  on(lists.listQueueUuids, async ({ auth, params: { workspace }, query }) =>
    pageReply(await listJobIds(deps, callerOf(auth, lists.listQueueUuids), { workspace, query, scope: "queue" })),
  ),
  on(lists.countQueue, async ({ auth, params: { workspace }, query: { all_workspaces } }) =>
    countReply(await countJobs(deps, callerOf(auth, lists.countQueue), { workspace, query: { all_workspaces }, scope: "queue" }), "object"),
  ),
  on(lists.queuePosition, async ({ params: { workspace, scheduled_for_ms: atMs } }) => {
    const position = await findQueuePosition(deps, workspace, atMs);
    return json(200, position === undefined ? {} : { position });
  }),
  on(lists.countCompleted, async ({ auth, params: { workspace } }) =>
    countReply(await countJobs(deps, callerOf(auth, lists.countCompleted), { workspace, query: {}, scope: "completed" }), "object"),
  ),
  on(lists.countCompletedJobs, async ({ auth, params: { workspace }, query }) =>
    countReply(await countEndedJobs(deps, callerOf(auth, lists.countCompletedJobs), workspace, query), "number"),
  ),
  on(routes.getScheduledFor, async ({ auth, params: { workspace, id } }) =>
    json(200, getScheduledMs(await findQueuedJob(deps, callerOf(auth, routes.getScheduledFor), { workspace, id }))),
  ),
  on(control.runNow, async ({ auth, params: { workspace, id } }) => {
    await runJobNow(deps, await findJob(deps, callerOf(auth, control.runNow), { workspace, id }));
    return text(200, `The job ${id} starts as soon as its concurrency limit allows it.`);
  }),
  on(routes.startedAtByIds, async ({ auth, params: { workspace }, body }) =>
    json(200, await listStartTimes(deps, callerOf(auth, routes.startedAtByIds), workspace, body)),
  ),
  on(control.cancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(
      200,
      await cancelJob(deps, await findJob(deps, callerOf(auth, control.cancelJob), { workspace, id }), {
        by: auth.actor.username,
        reason: body?.reason ?? "",
      }),
    ),
  ),
  on(control.cancelSelection, async ({ auth, params: { workspace }, query, body: ids }) => {
    const cancellation = { by: auth.actor.username, reason: "", force: query.force_cancel ?? false };
    return json(200, await cancelSelectedJobs(deps, callerOf(auth, control.cancelJob), { workspace, ids }, cancellation));
  }),
  on(control.cancelPersistent, async ({ auth, params: { workspace, path }, body }) => {
    const caller = callerOf(auth, control.cancelPersistent);
    const cancellation = { by: auth.actor.username, reason: body?.reason ?? "" };
    const { canceled, hasMore } = await cancelJobsOfPath(deps, caller, { workspace, path }, cancellation);
    return text(200, `${canceled} jobs of ${path} were canceled.${hasMore ? " There are more: send the request again." : ""}`);
  }),
  on(userStateRoutes.setUserState, async ({ auth, params: { workspace, id, key }, body }) => {
    await setUserState(deps, await findJob(deps, callerOf(auth, userStateRoutes.setUserState), { workspace, id }), key, body);
    return text(200, `The value of ${key} was stored.`);
  }),
  on(userStateRoutes.getUserState, async ({ auth, params: { workspace, id, key } }) =>
    jsonText(200, await getUserState(deps, await findJob(deps, callerOf(auth, userStateRoutes.getUserState), { workspace, id }), key)),
  ),
  on(control.setProgress, async ({ auth, params: { workspace, id }, body: { percent } }) => {
    const job = await findJob(deps, callerOf(auth, control.setProgress), { workspace, id });
    return text(200, String(await setProgress(deps, job, percent)));
  }),
  on(routes.getProgress, async ({ auth, params: { workspace, id } }) =>
    json(200, (await findJob(deps, callerOf(auth, routes.getProgress), { workspace, id })).progress ?? null),
  ),
  on(control.forceCancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(
      200,
      await cancelJob(deps, await findJob(deps, callerOf(auth, control.forceCancelJob), { workspace, id }), {
        by: auth.actor.username,
        reason: body?.reason ?? "",
        force: true,
      }),
    ),
  ),
  on(control.deleteCompleted, async ({ auth, params: { workspace, id } }) => {
    const erased = await eraseJob(deps, await findEndedJob(deps, callerOf(auth, control.deleteCompleted), { workspace, id }));
    return json(200, await loadJobJson(deps, erased, WITHOUT_VALUES));
  }),
  on(routes.workerIsDraining, async ({ auth, params: { workspace, id } }) => {
    await findJob(deps, callerOf(auth, routes.workerIsDraining), { workspace, id });
    return json(200, false);
  }),
];
