// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const flowRunOperations = {
  "jobs.run.flows": "POST /api/w/{workspace}/jobs/run/f/{path+}",
  "jobs.run.fv": "POST /api/w/{workspace}/jobs/run/fv/{version}",
  "jobs.run.previewFlow": "POST /api/w/{workspace}/jobs/run/preview_flow",
  "jobs.restart.flows": "POST /api/w/{workspace}/jobs/restart/f/{id}",
  "jobs.runWait.flows": "POST /api/w/{workspace}/jobs/run_wait_result/f/{path+}",
  "jobs.runWait.fv": "POST /api/w/{workspace}/jobs/run_wait_result/fv/{version}",
  "jobs.runWait.flows.get": "GET /api/w/{workspace}/jobs/run_wait_result/f/{path+}",
  "jobs.runWait.fv.get": "GET /api/w/{workspace}/jobs/run_wait_result/fv/{version}",
  "jobs.runWait.previewFlow": "POST /api/w/{workspace}/jobs/run_wait_result/preview_flow",
};

export const flowOperations = {
  "flows.create": "POST /api/w/{workspace}/flows/create",
  "flows.update": "POST /api/w/{workspace}/flows/update/{path+}",
  "flows.list": "GET /api/w/{workspace}/flows/list",
  "flows.listPaths": "GET /api/w/{workspace}/flows/list_paths",
  "flows.listSearch": "GET /api/w/{workspace}/flows/list_search",
  "flows.getByHash": "GET /api/w/{workspace}/flows/get/v/{version}",
  "flows.get": "GET /api/w/{workspace}/flows/get/{path+}",
  "flows.exists": "GET /api/w/{workspace}/flows/exists/{path+}",
  "flows.history": "GET /api/w/{workspace}/flows/history/p/{path+}",
  "flows.latestVersion": "GET /api/w/{workspace}/flows/get_latest_version/{path+}",
  "flows.updateByHash": "POST /api/w/{workspace}/flows/history_update/v/{version}",
  "flows.deploymentStatus": "GET /api/w/{workspace}/flows/deployment_status/p/{path+}",
  "flows.getMachineByHash": "GET /api/w/{workspace}/flows/machine/v/{version}",
  "flows.getMachine": "GET /api/w/{workspace}/flows/machine/p/{path+}",
  "flows.webhooks": "GET /api/w/{workspace}/flows/webhooks/{path+}",
  "flows.listTokens": "GET /api/w/{workspace}/flows/list_tokens/{path+}",
  "flows.countTriggers": "GET /api/w/{workspace}/flows/get_triggers_count/{path+}",
  "flows.muteErrorHandler": "POST /api/w/{workspace}/flows/toggle_workspace_error_handler/{path+}",
  "flows.getFailureNotice": "GET /api/w/{workspace}/flows/get_failure_notice/{path+}",
  "flows.editFailureNotice": "POST /api/w/{workspace}/flows/edit_failure_notice/{path+}",
  "flows.archive": "POST /api/w/{workspace}/flows/archive/{path+}",
  "flows.delete": "DELETE /api/w/{workspace}/flows/delete/{path+}",
};

export const userStateOperations = {
  "jobs.setUserState": "POST /api/w/{workspace}/jobs/flow/user_states/{id}/{key}",
  "jobs.getUserState": "GET /api/w/{workspace}/jobs/flow/user_states/{id}/{key}",
};
