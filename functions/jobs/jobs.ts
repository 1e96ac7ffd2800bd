import { SvcError } from "../../contract/errors.ts";
import { toIsoTime } from "../../contract/iso-time.ts";
import type { TokenRoute } from "../../contract/route.ts";
import { userStateRoutes } from "../../contract/routes/flows/user-states.ts";
import { jobControlRoutes as control } from "../../contract/routes/jobs/job-control.ts";
import { jobListRoutes as lists } from "../../contract/routes/jobs/job-lists.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs/jobs.ts";
import { argsVisibleTo, hasEnded, PEOPLE, resultVisibleTo } from "../../core/jobs/job.ts";
import { loadFullJobJson } from "../../services/flows/inspection/status.ts";
import { getUserState, setUserState } from "../../services/flows/runtime/user-states.ts";
import { cancelJob } from "../../services/jobs/cancel/cancel-job.ts";
import { cancelSelectedJobs } from "../../services/jobs/cancel/cancel-selected-jobs.ts";
import { eraseJob } from "../../services/jobs/erasure/erase-job.ts";
import { runJobNow } from "../../services/jobs/queue/run-job-now.ts";
import { countJobs, type JobSearch, listJobs } from "../../services/jobs/read/list.ts";
import { setProgress } from "../../services/jobs/read/progress.ts";
import { findEndedJob, findJob, findQueuedJob, type JobCaller, loadJobJson, waitForJobUpdate } from "../../services/jobs/read/read.ts";
import { listStartTimes } from "../../services/jobs/read/start-times.ts";
import { loadJson, loadLogs, loadValue } from "../../services/jobs/values/values.ts";
import type { ApiRoutes, Auth } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, jsonText, type Reply, text } from "../shared/reply.ts";
import { deps } from "./deps.ts";

const WITHOUT_VALUES = { args: false };
const callerOf = (auth: Auth, action: TokenRoute): JobCaller => ({ actor: auth.actor, action });

async function list(auth: Auth, route: TokenRoute, search: JobSearch): Promise<Reply> {
  const found = await listJobs(deps, callerOf(auth, route), search);
  return json(200, await Promise.all(found.map((job) => loadJobJson(deps, job, WITHOUT_VALUES))));
}

async function listIds(auth: Auth, route: TokenRoute, search: JobSearch): Promise<Reply> {
  const found = await listJobs(deps, callerOf(auth, route), search);
  return json(
    200,
    found.map(({ id }) => id),
  );
}

export const jobRoutes: ApiRoutes = [
  on(routes.getJob, async ({ auth, params: { workspace, id }, query }) => {
    const job = auth.linked ?? (await findJob(deps, callerOf(auth, routes.getJob), { workspace, id }));
    return json(200, await loadFullJobJson(deps, job, { logs: !query.no_logs, code: !query.no_code }));
  }),
  on(routes.getRootJobId, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(deps, callerOf(auth, routes.getRootJobId), { workspace, id });
    return json(200, job.root ?? job.parent ?? job.id);
  }),
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
    if (linked && !hasEnded(linked)) throw new SvcError("job.notFinished", { id });
    const job = linked ?? (await findEndedJob(deps, callerOf(auth, routes.getResult), { workspace, id }));
    return jsonText(200, await loadValue(deps, job, resultVisibleTo(linked ? PEOPLE : auth.actor, job)));
  }),
  on(routes.getResultMaybe, async ({ auth, params: { workspace, id }, query }) => {
    const job = await findJob(deps, callerOf(auth, routes.getResultMaybe), { workspace, id });
    const started = query.get_started ? { started: job.state !== "queued" } : {};
    if (!hasEnded(job)) return json(200, { completed: false, result: null, ...started });
    const success = job.state === "succeeded" || job.state === "skipped";
    return json(200, {
      completed: true,
      result: await loadJson(deps, job, resultVisibleTo(auth.actor, job)),
      success,
      ...started,
    });
  }),
  on(routes.getTiming, async ({ auth, params: { workspace, id } }) => {
    const { created_at, ...job } = await loadJobJson(
      deps,
      await findEndedJob(deps, callerOf(auth, routes.getTiming), { workspace, id }),
      WITHOUT_VALUES,
    );
    return json(200, { created_at, started_at: job.started_at, ...("duration_ms" in job ? { duration_ms: job.duration_ms } : {}) });
  }),
  on(routes.getUpdate, async ({ auth, params: { workspace, id }, query }) =>
    json(200, await waitForJobUpdate(deps, callerOf(auth, routes.getUpdate), { workspace, id }, query)),
  ),

  on(lists.listJobs, ({ auth, params: { workspace }, query }) => list(auth, lists.listJobs, { workspace, query, scope: "all" })),
  on(lists.listQueue, ({ auth, params: { workspace }, query }) => list(auth, lists.listQueue, { workspace, query, scope: "queue" })),
  on(lists.listCompleted, ({ auth, params: { workspace }, query }) =>
    list(auth, lists.listCompleted, { workspace, query, scope: "completed" }),
  ),
  on(lists.listFilteredUuids, ({ auth, params: { workspace }, query }) =>
    listIds(auth, lists.listFilteredUuids, { workspace, query, scope: "all" }),
  ),
  on(lists.listQueueUuids, ({ auth, params: { workspace }, query }) =>
    listIds(auth, lists.listQueueUuids, { workspace, query, scope: "queue" }),
  ),
  on(lists.countQueue, async ({ auth, params: { workspace }, query: { all_workspaces } }) =>
    json(200, {
      database_length: await countJobs(deps, callerOf(auth, lists.countQueue), { workspace, query: { all_workspaces }, scope: "queue" }),
    }),
  ),
  on(lists.countCompleted, async ({ auth, params: { workspace } }) =>
    json(200, {
      database_length: await countJobs(deps, callerOf(auth, lists.countCompleted), { workspace, query: {}, scope: "completed" }),
    }),
  ),
  on(lists.countCompletedJobs, async ({ auth, params: { workspace }, query }) => {
    const { completed_after_s_ago: ago, success, tags: tag, all_workspaces } = query;
    const after = ago === undefined ? {} : { completed_after: toIsoTime(Math.max(0, deps.nowMs() - ago * 1000)) };
    const search = { workspace, query: { ...after, success, tag, all_workspaces }, scope: "completed" as const };
    return json(200, await countJobs(deps, callerOf(auth, lists.countCompletedJobs), search));
  }),
  on(routes.getScheduledFor, async ({ auth, params: { workspace, id } }) => {
    const job = await findQueuedJob(deps, callerOf(auth, routes.getScheduledFor), { workspace, id });
    return json(200, job.scheduledForMs ?? job.createdAtMs);
  }),
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
  on(userStateRoutes.setUserState, async ({ auth, params: { workspace, id, key }, body }) => {
    await setUserState(deps, await findJob(deps, callerOf(auth, userStateRoutes.setUserState), { workspace, id }), key, body);
    return text(200, `The value of ${key} was stored.`);
  }),
  on(userStateRoutes.getUserState, async ({ auth, params: { workspace, id, key } }) =>
    jsonText(200, await getUserState(deps, await findJob(deps, callerOf(auth, userStateRoutes.getUserState), { workspace, id }), key)),
  ),
  on(control.setProgress, async ({ auth, params: { workspace, id }, body: { percent } }) => {
    const job = await findJob(deps, callerOf(auth, control.setProgress), { workspace, id });
    return text(200, String(percent === undefined ? (job.progress ?? 0) : await setProgress(deps, job, percent)));
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
  on(routes.dbClock, async () => json(200, deps.nowMs())),
];
