// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const scheduleOperations = {
  "schedules.list": "GET /api/w/{workspace}/schedules/list",
  "schedules.listWithJobs": "GET /api/w/{workspace}/schedules/list_with_jobs",
  "schedules.get": "GET /api/w/{workspace}/schedules/get/{path+}",
  "schedules.exists": "GET /api/w/{workspace}/schedules/exists/{path+}",
  "schedules.create": "POST /api/w/{workspace}/schedules/create",
  "schedules.update": "POST /api/w/{workspace}/schedules/update/{path+}",
  "schedules.setEnabled": "POST /api/w/{workspace}/schedules/setenabled/{path+}",
  "schedules.delete": "DELETE /api/w/{workspace}/schedules/delete/{path+}",
  "schedules.preview": "POST /api/schedules/preview",
};
