// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const bulkOperations = {
  "jobs.bulk.start": "POST /api/w/{workspace}/jobs/bulk",
  "jobs.bulk.get": "GET /api/w/{workspace}/jobs/bulk/{bulk_id}",
  "jobs.bulk.stop": "POST /api/w/{workspace}/jobs/bulk/{bulk_id}/stop",
};

export const dependencyRunOperations = {
  "jobs.runWait.dependencies": "POST /api/w/{workspace}/jobs/run/dependencies",
  "jobs.run.dependencies": "POST /api/w/{workspace}/jobs/run/dependencies_async",
  "jobs.run.flowDependencies": "POST /api/w/{workspace}/jobs/run/flow_dependencies_async",
};

export const inputOperations = {
  "inputs.history": "GET /api/w/{workspace}/inputs/history",
  "inputs.list": "GET /api/w/{workspace}/inputs/list",
  "inputs.create": "POST /api/w/{workspace}/inputs/create",
  "inputs.update": "POST /api/w/{workspace}/inputs/update",
  "inputs.delete": "POST /api/w/{workspace}/inputs/delete/{id}",
  "inputs.getArgs": "GET /api/w/{workspace}/inputs/{id}/args",
};

export const internalOperations = {
  "internal.beat": "POST /api/internal/jobs/{id}/beat",
  "internal.check": "POST /api/internal/jobs/{id}/check",
  "internal.report": "POST /api/internal/jobs/{id}/report",
};

export const jobControlOperations = {
  "jobs.startNow": "POST /api/w/{workspace}/jobs/queue/run_now/{id}",
  "jobs.cancel": "POST /api/w/{workspace}/jobs_u/queue/cancel/{id}",
  "jobs.cancelSelection": "POST /api/w/{workspace}/jobs/queue/cancel_selection",
  "jobs.cancelPersistent": "POST /api/w/{workspace}/jobs_u/queue/cancel_persistent/{path+}",
  "jobs.setProgress": "POST /api/w/{workspace}/job_metrics/set_progress/{id}",
  "jobs.forceCancel": "POST /api/w/{workspace}/jobs_u/queue/force_cancel/{id}",
  "jobs.deleteCompleted": "POST /api/w/{workspace}/jobs/completed/delete/{id}",
};

export const jobListOperations = {
  "jobs.list": "GET /api/w/{workspace}/jobs/list",
  "jobs.listQueue": "GET /api/w/{workspace}/jobs/queue/list",
  "jobs.listCompleted": "GET /api/w/{workspace}/jobs/completed/list",
  "jobs.stats": "GET /api/w/{workspace}/jobs/stats",
  "jobs.listUuids": "GET /api/w/{workspace}/jobs/list_filtered_uuids",
  "jobs.listQueueUuids": "GET /api/w/{workspace}/jobs/queue/list_filtered_uuids",
  "jobs.countQueue": "GET /api/w/{workspace}/jobs/queue/count",
  "jobs.queuePosition": "GET /api/w/{workspace}/jobs/queue/position/{scheduled_for_ms}",
  "jobs.countCompleted": "GET /api/w/{workspace}/jobs/completed/count",
  "jobs.countCompletedJobs": "GET /api/w/{workspace}/jobs/completed/count_jobs",
};

export const jobOperations = {
  "jobs.get": "GET /api/w/{workspace}/jobs_u/get/{id}",
  "jobs.getRoot": "GET /api/w/{workspace}/jobs_u/get_root_job_id/{id}",
  "jobs.getLogs": "GET /api/w/{workspace}/jobs_u/get_logs/{id}",
  "jobs.getFlowLogs": "GET /api/w/{workspace}/jobs_u/get_flow_all_logs/{id}",
  "jobs.getArgs": "GET /api/w/{workspace}/jobs_u/get_args/{id}",
  "jobs.getCompleted": "GET /api/w/{workspace}/jobs_u/completed/get/{id}",
  "jobs.getResult": "GET /api/w/{workspace}/jobs_u/completed/get_result/{id}",
  "jobs.getResultMaybe": "GET /api/w/{workspace}/jobs_u/completed/get_result_maybe/{id}",
  "jobs.getStepResult": "GET /api/w/{workspace}/jobs/result_by_id/{id}/{node}",
  "jobs.getTiming": "GET /api/w/{workspace}/jobs_u/completed/get_timing/{id}",
  "jobs.getUpdate": "GET /api/w/{workspace}/jobs_u/getupdate/{id}",
  "jobs.getScheduledFor": "GET /api/w/{workspace}/jobs/queue/scheduled_for/{id}",
  "jobs.startedAtByIds": "POST /api/w/{workspace}/jobs_u/queue/get_started_at_by_ids",
  "jobs.getProgress": "GET /api/w/{workspace}/job_metrics/get_progress/{id}",
  "jobs.workerIsDraining": "GET /api/w/{workspace}/jobs/worker_is_draining/{id}",
};

export const runDetailOperations = {
  "jobs.getFlowOutline": "GET /api/w/{workspace}/jobs_u/get_flow_outline/{id}",
  "jobs.getCost": "GET /api/w/{workspace}/jobs_u/get_cost/{id}",
  "scripts.getCost": "GET /api/w/{workspace}/scripts/get_cost/{path+}",
  "flows.getCost": "GET /api/w/{workspace}/flows/get_cost/{path+}",
};

export const runOperations = {
  "jobs.run.scripts": "POST /api/w/{workspace}/jobs/run/p/{path+}",
  "jobs.run.versions": "POST /api/w/{workspace}/jobs/run/h/{hash}",
  "jobs.run.preview": "POST /api/w/{workspace}/jobs/run/preview",
  "jobs.run.previewBundle": "POST /api/w/{workspace}/jobs/run/preview_bundle",
  "jobs.runWait.scripts": "POST /api/w/{workspace}/jobs/run_wait_result/p/{path+}",
  "jobs.runWait.versions": "POST /api/w/{workspace}/jobs/run_wait_result/h/{hash}",
  "jobs.runWait.scripts.get": "GET /api/w/{workspace}/jobs/run_wait_result/p/{path+}",
  "jobs.runWait.versions.get": "GET /api/w/{workspace}/jobs/run_wait_result/h/{hash}",
  "jobs.runWait.preview": "POST /api/w/{workspace}/jobs/run_wait_result/preview",
  "jobs.runInline.scripts": "POST /api/w/{workspace}/jobs/run_inline/p/{path+}",
  "jobs.runInline.versions": "POST /api/w/{workspace}/jobs/run_inline/h/{hash}",
  "jobs.runInline.preview": "POST /api/w/{workspace}/jobs/run_inline/preview",
  "jobs.rerun": "POST /api/w/{workspace}/jobs/run/batch_rerun_jobs",
};

export const shareOperations = {
  "jobs.share": "POST /api/w/{workspace}/jobs/share/{id}",
  "jobs.listShares": "GET /api/w/{workspace}/jobs/shares/{id}",
  "jobs.revokeShare": "DELETE /api/w/{workspace}/jobs/shares/{id}/{share}",
  "jobs.getShared": "GET /api/share/{token}",
};

export const streamOperations = {
  "jobs.runStream.scripts": "POST /api/w/{workspace}/jobs/run_and_stream/p/{path+}",
  "jobs.runStream.scripts.get": "GET /api/w/{workspace}/jobs/run_and_stream/p/{path+}",
  "jobs.runStream.versions": "POST /api/w/{workspace}/jobs/run_and_stream/h/{hash}",
  "jobs.runStream.versions.get": "GET /api/w/{workspace}/jobs/run_and_stream/h/{hash}",
  "jobs.runStream.flows": "POST /api/w/{workspace}/jobs/run_and_stream/f/{path+}",
  "jobs.runStream.flows.get": "GET /api/w/{workspace}/jobs/run_and_stream/f/{path+}",
  "jobs.runStream.fv": "POST /api/w/{workspace}/jobs/run_and_stream/fv/{version}",
  "jobs.runStream.fv.get": "GET /api/w/{workspace}/jobs/run_and_stream/fv/{version}",
  "jobs.updateStream": "GET /api/w/{workspace}/jobs_u/getupdate_sse/{id}",
  "jobs.updateStream.alias": "GET /api/w/{workspace}/job_u/getupdate_sse/{id}",
};

export const workerOperations = {
  "jobs.listWorkers": "GET /api/workers/list",
  "jobs.dbClock": "GET /api/jobs/db_clock",
};
