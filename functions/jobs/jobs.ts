import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { TokenRoute } from "../../contract/route.ts";
import { userStateRoutes } from "../../contract/routes/flows/user-states.ts";
import { jobControlRoutes as control } from "../../contract/routes/jobs/job-control.ts";
import { jobListRoutes as lists } from "../../contract/routes/jobs/job-lists.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs/jobs.ts";
import { argsVisibleTo, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import { loadFlowFields } from "../../services/flows/inspection/status.ts";
import { setUserState, userState } from "../../services/flows/runtime/user-states.ts";
import { cancelJob } from "../../services/jobs/cancel/cancel-job.ts";
import { eraseJob } from "../../services/jobs/erasure/erase-job.ts";
import { runJobNow } from "../../services/jobs/queue/run-job-now.ts";
import { countJobs, listJobs } from "../../services/jobs/read/list.ts";
import { setProgress } from "../../services/jobs/read/progress.ts";
import {
  createVisibilityFilter,
  findEndedJob,
  findJob,
  type JobCaller,
  loadJobJson,
  waitForJobUpdate,
} from "../../services/jobs/read/read.ts";
import { loadLogs, loadValue } from "../../services/jobs/values/values.ts";
import type { ApiRoutes, Auth } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, jsonText, text } from "../shared/reply.ts";
import { collaborators as c } from "./collaborators.ts";

const everything = { args: true, result: true };
const none = { args: false };
const asking = (auth: Auth, action: TokenRoute): JobCaller => ({ actor: auth.actor, action });
const seenBy = (asker: JobCaller) => ({ ...c, visible: createVisibilityFilter(asker) });

/** Where a list looks: in the workspace of the address, or in all for who administers the instance. */
async function places(
  { actor }: Auth,
  workspace: string,
  { all_workspaces: all }: { all_workspaces?: boolean | undefined },
): Promise<string[]> {
  if (!all) return [workspace];
  if (!actor.superAdmin) throw new SvcError("auth.forbidden", { action: "jobs of all workspaces" });
  return (await c.objects.list(keys.workspace("").pk)).map(({ sk }) => sk);
}

/** A job with all that is shown of it; of a flow's, where it is. */
async function whole(job: Job, { logs, code }: { logs: boolean; code: boolean }): Promise<object> {
  const [shown, flow] = await Promise.all([loadJobJson(c, job, { ...everything, logs, code }), loadFlowFields(c, job, { code })]);
  return { ...shown, ...flow };
}

export const jobs: ApiRoutes = [
  on(routes.getJob, async ({ auth, params: { workspace, id }, query }) => {
    const job = auth.linked ?? (await findJob(c, asking(auth, routes.getJob), workspace, id));
    return json(200, await whole(job, { logs: !query.no_logs, code: !query.no_code }));
  }),
  on(routes.getRootJobId, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(c, asking(auth, routes.getRootJobId), workspace, id);
    return json(200, job.root ?? job.parent ?? job.id);
  }),
  on(routes.getLogs, async ({ auth, params: { workspace, id } }) =>
    text(200, await loadLogs(c, await findJob(c, asking(auth, routes.getLogs), workspace, id))),
  ),
  on(routes.getFlowLogs, async ({ auth, params: { workspace, id } }) => {
    const asker = asking(auth, routes.getFlowLogs);
    const { loadFlowLogs: allLogs } = await import("../../services/flows/inspection/logs.ts");
    return text(200, await allLogs(seenBy(asker), await findJob(c, asker, workspace, id)));
  }),
  on(routes.getArgs, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(c, asking(auth, routes.getArgs), workspace, id);
    return jsonText(200, await loadValue(c, job, argsVisibleTo(auth.actor, job)));
  }),
  on(routes.getCompletedJob, async ({ auth, params: { workspace, id } }) =>
    json(200, await whole(await findEndedJob(c, asking(auth, routes.getCompletedJob), workspace, id), { logs: true, code: true })),
  ),
  on(routes.getResult, async ({ auth, params: { workspace, id } }) => {
    const { linked } = auth;
    if (linked && !hasEnded(linked)) throw new SvcError("job.notFinished", { id });
    const job = linked ?? (await findEndedJob(c, asking(auth, routes.getResult), workspace, id));
    return jsonText(200, await loadValue(c, job, resultVisibleTo(linked ? PEOPLE : auth.actor, job)));
  }),
  on(routes.getResultMaybe, async ({ auth, params: { workspace, id }, query }) => {
    const job = await findJob(c, asking(auth, routes.getResultMaybe), workspace, id);
    const started = query.get_started ? { started: job.state !== "queued" } : {};
    if (!hasEnded(job)) return json(200, { completed: false, result: null, ...started });
    const success = job.state === "succeeded" || job.state === "skipped";
    return json(200, {
      completed: true,
      result: JSON.parse(await loadValue(c, job, resultVisibleTo(auth.actor, job))),
      success,
      ...started,
    });
  }),
  on(routes.getTiming, async ({ auth, params: { workspace, id } }) => {
    const { created_at, ...job } = await loadJobJson(c, await findEndedJob(c, asking(auth, routes.getTiming), workspace, id), none);
    return json(200, { created_at, started_at: job.started_at, ...("duration_ms" in job ? { duration_ms: job.duration_ms } : {}) });
  }),
  on(routes.getUpdate, async ({ auth, params: { workspace, id }, query }) =>
    json(200, await waitForJobUpdate(c, asking(auth, routes.getUpdate), workspace, id, query)),
  ),

  on(lists.listJobs, async ({ auth, params: { workspace }, query }) => {
    const found = await listJobs(seenBy(asking(auth, lists.listJobs)), await places(auth, workspace, query), query, "all");
    return json(200, await Promise.all(found.map((job) => loadJobJson(c, job, none))));
  }),
  on(lists.listQueue, async ({ auth, params: { workspace }, query }) => {
    const found = await listJobs(seenBy(asking(auth, lists.listQueue)), await places(auth, workspace, query), query, "queue");
    return json(200, await Promise.all(found.map((job) => loadJobJson(c, job, none))));
  }),
  on(lists.listCompleted, async ({ auth, params: { workspace }, query }) => {
    const found = await listJobs(seenBy(asking(auth, lists.listCompleted)), await places(auth, workspace, query), query, "completed");
    return json(200, await Promise.all(found.map((job) => loadJobJson(c, job, none))));
  }),
  on(lists.listFilteredUuids, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      (await listJobs(seenBy(asking(auth, lists.listFilteredUuids)), await places(auth, workspace, query), query, "all")).map(
        ({ id }) => id,
      ),
    ),
  ),
  on(lists.listQueueUuids, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      (await listJobs(seenBy(asking(auth, lists.listQueueUuids)), await places(auth, workspace, query), query, "queue")).map(
        ({ id }) => id,
      ),
    ),
  ),
  on(lists.countQueue, async ({ auth, params: { workspace }, query }) =>
    json(200, {
      database_length: await countJobs(seenBy(asking(auth, lists.countQueue)), await places(auth, workspace, query), {}, "queue"),
    }),
  ),
  on(lists.countCompleted, async ({ auth, params: { workspace } }) =>
    json(200, { database_length: await countJobs(seenBy(asking(auth, lists.countCompleted)), [workspace], {}, "completed") }),
  ),
  on(lists.countCompletedJobs, async ({ auth, params: { workspace }, query }) => {
    const { completed_after_s_ago: ago, success, tags } = query;
    const after = ago === undefined ? {} : { completed_after: new Date(Math.max(0, c.nowMs() - ago * 1000)).toISOString() };
    return json(
      200,
      await countJobs(
        seenBy(asking(auth, lists.countCompletedJobs)),
        await places(auth, workspace, query),
        { ...after, success, tag: tags },
        "completed",
      ),
    );
  }),
  on(routes.getScheduledFor, async ({ auth, params: { workspace, id } }) => {
    const job = await findJob(c, asking(auth, routes.getScheduledFor), workspace, id);
    if (job.state !== "queued") throw new SvcError("job.notQueued", { id });
    return json(200, job.scheduledForMs ?? job.createdAtMs);
  }),
  on(control.runNow, async ({ auth, params: { workspace, id } }) => {
    await runJobNow(c, await findJob(c, asking(auth, control.runNow), workspace, id));
    return text(200, `The job ${id} runs as soon as there is room for it.`);
  }),
  on(routes.startedAtByIds, async ({ auth, params: { workspace }, body }) => {
    const found = new Map((await c.jobs.getMany(body)).map((job) => [job.id, job]));
    const visible = createVisibilityFilter(asking(auth, routes.startedAtByIds));
    const startedAt = (id: string) => {
      const job = found.get(id);
      if (job?.workspace !== workspace || !visible(job) || job.state === "queued" || job.startedAtMs === undefined) return null;
      return new Date(job.startedAtMs).toISOString();
    };
    return json(200, body.map(startedAt));
  }),
  on(control.cancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(
      200,
      await cancelJob(c, await findJob(c, asking(auth, control.cancelJob), workspace, id), {
        by: auth.actor.username,
        reason: body?.reason ?? "",
      }),
    ),
  ),
  on(control.cancelSelection, async ({ auth, params: { workspace }, query, body }) => {
    const visible = createVisibilityFilter(asking(auth, control.cancelJob));
    const found = (await c.jobs.getMany(body)).filter((job) => job.workspace === workspace && visible(job));
    const canceled: string[] = [];
    for (const job of found) {
      try {
        await cancelJob(c, job, { by: auth.actor.username, reason: "", force: query.force_cancel ?? false });
        canceled.push(job.id);
      } catch (error) {
        if (!isSvcError(error) || error.code !== "job.ended") throw error;
      }
    }
    return json(200, canceled);
  }),
  on(userStateRoutes.setUserState, async ({ auth, params: { workspace, id, key }, body }) => {
    await setUserState(c, await findJob(c, asking(auth, userStateRoutes.setUserState), workspace, id), key, body);
    return text(200, `The value of ${key} was stored.`);
  }),
  on(userStateRoutes.getUserState, async ({ auth, params: { workspace, id, key } }) =>
    jsonText(200, await userState(c, await findJob(c, asking(auth, userStateRoutes.getUserState), workspace, id), key)),
  ),
  on(control.setProgress, async ({ auth, params: { workspace, id }, body: { percent } }) => {
    const job = await findJob(c, asking(auth, control.setProgress), workspace, id);
    return text(200, String(percent === undefined ? (job.progress ?? 0) : await setProgress(c, job, percent)));
  }),
  on(routes.getProgress, async ({ auth, params: { workspace, id } }) =>
    json(200, (await findJob(c, asking(auth, routes.getProgress), workspace, id)).progress ?? null),
  ),
  on(control.forceCancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(
      200,
      await cancelJob(c, await findJob(c, asking(auth, control.forceCancelJob), workspace, id), {
        by: auth.actor.username,
        reason: body?.reason ?? "",
        force: true,
      }),
    ),
  ),
  on(control.deleteCompleted, async ({ auth, params: { workspace, id } }) => {
    const erased = await eraseJob(c, await findEndedJob(c, asking(auth, control.deleteCompleted), workspace, id));
    return json(200, await loadJobJson(c, erased, none));
  }),
  on(routes.dbClock, async () => json(200, c.nowMs())),
];
