import { SvcError } from "../../contract/errors.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs.ts";
import { hasEnded, resultFor } from "../../core/jobs/job.ts";
import { cancel } from "../../services/jobs/cancel.ts";
import { eraseJob } from "../../services/jobs/erase.ts";
import { countJobs, listJobs } from "../../services/jobs/list.ts";
import { load, loadLogs } from "../../services/jobs/places.ts";
import { findEnded, findJob, jobJson, jobUpdate } from "../../services/jobs/read.ts";
import { on } from "../shared/edge.ts";
import { json, jsonText, text } from "../shared/reply.ts";
import { type ApiRoutes, collaborators as c } from "./collaborators.ts";

const everything = { args: true, result: true };
const none = { args: false };

export const jobs: ApiRoutes = [
  on(routes.getJob, async ({ params: { workspace, id }, query }) => {
    const job = await findJob(c, workspace, id);
    return json(200, await jobJson(c, job, { ...everything, logs: !query.no_logs, code: !query.no_code }));
  }),
  on(routes.getRootJobId, async ({ params: { workspace, id } }) => {
    const job = await findJob(c, workspace, id);
    return json(200, job.root ?? job.parent ?? job.id);
  }),
  on(routes.getLogs, async ({ params: { workspace, id } }) => text(200, await loadLogs(c, await findJob(c, workspace, id)))),
  on(routes.getArgs, async ({ params: { workspace, id } }) => {
    const job = await findJob(c, workspace, id);
    return jsonText(200, await load(c, job, job.args));
  }),
  on(routes.getCompletedJob, async ({ params: { workspace, id } }) =>
    json(200, await jobJson(c, await findEnded(c, workspace, id), { ...everything, logs: true, code: true })),
  ),
  on(routes.getResult, async ({ auth, params: { workspace, id } }) => {
    const job = await findEnded(c, workspace, id);
    return jsonText(200, await load(c, job, resultFor(auth.actor, job)));
  }),
  on(routes.getResultMaybe, async ({ auth, params: { workspace, id }, query }) => {
    const job = await findJob(c, workspace, id);
    const started = query.get_started ? { started: job.state !== "queued" } : {};
    if (!hasEnded(job)) return json(200, { completed: false, result: null, ...started });
    const success = job.state === "succeeded" || job.state === "skipped";
    return json(200, { completed: true, result: JSON.parse(await load(c, job, resultFor(auth.actor, job))), success, ...started });
  }),
  on(routes.getTiming, async ({ params: { workspace, id } }) => {
    const { created_at, ...job } = await jobJson(c, await findEnded(c, workspace, id), none);
    return json(200, { created_at, started_at: job.started_at, ...("duration_ms" in job ? { duration_ms: job.duration_ms } : {}) });
  }),
  on(routes.getUpdate, async ({ params: { workspace, id }, query }) => json(200, await jobUpdate(c, workspace, id, query))),

  on(routes.listJobs, async ({ params: { workspace }, query }) => {
    const found = await listJobs(c, workspace, query, "all");
    return json(200, await Promise.all(found.map((job) => jobJson(c, job, none))));
  }),
  on(routes.listQueue, async ({ params: { workspace }, query }) => {
    const found = await listJobs(c, workspace, query, "queue");
    return json(200, await Promise.all(found.map((job) => jobJson(c, job, none))));
  }),
  on(routes.listCompleted, async ({ params: { workspace }, query }) => {
    const found = await listJobs(c, workspace, query, "completed");
    return json(200, await Promise.all(found.map((job) => jobJson(c, job, none))));
  }),
  on(routes.listFilteredUuids, async ({ params: { workspace }, query }) =>
    json(
      200,
      (await listJobs(c, workspace, query, "all")).map(({ id }) => id),
    ),
  ),
  on(routes.listQueueUuids, async ({ params: { workspace }, query }) =>
    json(
      200,
      (await listJobs(c, workspace, query, "queue")).map(({ id }) => id),
    ),
  ),
  on(routes.countQueue, async ({ params: { workspace } }) => json(200, { database_length: await countJobs(c, workspace, {}, "queue") })),
  on(routes.countCompleted, async ({ params: { workspace } }) =>
    json(200, { database_length: await countJobs(c, workspace, {}, "completed") }),
  ),
  on(routes.countCompletedJobs, async ({ params: { workspace }, query: { completed_after_s_ago: ago, success, tags } }) => {
    const after = ago === undefined ? {} : { completed_after: new Date(c.nowMs() - ago * 1000).toISOString() };
    return json(200, await countJobs(c, workspace, { ...after, success, tag: tags }, "completed"));
  }),
  on(routes.getScheduledFor, async ({ params: { workspace, id } }) => {
    const job = await findJob(c, workspace, id);
    if (job.state !== "queued") throw new SvcError("job.notQueued", { id });
    return json(200, job.scheduledForMs ?? job.createdAtMs);
  }),
  on(routes.startedAtByIds, async ({ params: { workspace }, body }) => {
    const found = new Map((await c.jobs.getMany(body)).map((job) => [job.id, job]));
    const startedAt = (id: string) => {
      const job = found.get(id);
      if (job?.workspace !== workspace || job.state === "queued" || job.startedAtMs === undefined) return null;
      return new Date(job.startedAtMs).toISOString();
    };
    return json(200, body.map(startedAt));
  }),
  on(routes.cancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(200, await cancel(c, await findJob(c, workspace, id), auth.actor.username, body?.reason ?? "", false)),
  ),
  on(routes.forceCancelJob, async ({ auth, params: { workspace, id }, body }) =>
    text(200, await cancel(c, await findJob(c, workspace, id), auth.actor.username, body?.reason ?? "", true)),
  ),
  on(routes.deleteCompleted, async ({ params: { workspace, id } }) => {
    const erased = await eraseJob(c, await findEnded(c, workspace, id));
    return json(200, await jobJson(c, erased, none));
  }),
  on(routes.dbClock, async () => json(200, c.nowMs())),
];
