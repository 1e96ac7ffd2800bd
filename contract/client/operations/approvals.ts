// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const approvalNoticeOperations = {
  "approvals.notify": "POST /api/w/{workspace}/approvals/notify/{gate}",
  "approvals.getWebhookSecret": "GET /api/w/{workspace}/approvals/webhook_secret",
  "approvals.rotateWebhookSecret": "POST /api/w/{workspace}/approvals/webhook_secret",
  "workspaces.getWebhookSecret": "GET /api/w/{workspace}/workspaces/webhook_secret",
  "workspaces.rotateWebhookSecret": "POST /api/w/{workspace}/workspaces/webhook_secret",
};

export const approvalRecordOperations = {
  "approvals.audit": "GET /api/w/{workspace}/approvals/audit",
  "approvals.verify": "GET /api/w/{workspace}/approvals/verify",
  "approvals.anchors": "GET /api/w/{workspace}/approvals/anchors",
};

export const approvalOperations = {
  "approvals.mint": "GET /api/w/{workspace}/jobs/resume_urls/{id}/{resume_id}",
  "approvals.mintSignature": "GET /api/w/{workspace}/jobs/job_signature/{id}/{resume_id}",
  "approvals.resumeByLink": "POST /api/w/{workspace}/jobs_u/resume/{id}/{resume_id}/{signature}",
  "approvals.resumeByGet": "GET /api/w/{workspace}/jobs_u/resume/{id}/{resume_id}/{signature}",
  "approvals.cancelByLink": "POST /api/w/{workspace}/jobs_u/cancel/{id}/{resume_id}/{signature}",
  "approvals.cancelByGet": "GET /api/w/{workspace}/jobs_u/cancel/{id}/{resume_id}/{signature}",
  "approvals.suspendedFlow": "GET /api/w/{workspace}/jobs_u/get_flow/{id}/{resume_id}/{signature}",
  "approvals.info": "GET /api/w/{workspace}/jobs_u/flow/approval_info/{job_id}",
  "approvals.decide": "POST /api/w/{workspace}/jobs_u/flow/resume_suspended/{job_id}",
  "approvals.resumeFlow": "POST /api/w/{workspace}/jobs/flow/resume/{id}",
  "approvals.consent": "POST /api/v1/runs/{run_id}/consent",
  "approvals.run": "GET /api/v1/runs/{run_id}",
  "approvals.pending": "GET /api/w/{workspace}/approvals/pending",
};

export const chatOperations = {
  "chats.askInSlack": "GET /api/w/{workspace}/jobs/slack_approval/{id}",
  "chats.askInDiscord": "POST /api/w/{workspace}/jobs/discord_approval/{id}",
  "chats.slackManifest": "GET /api/w/{workspace}/chat/slack/manifest/{path+}",
  "chats.slack": "POST /api/w/{workspace}/chat/slack/{path+}",
  "chats.discord": "POST /api/w/{workspace}/chat/discord/{path+}",
  "chats.askInTeams": "GET /api/w/{workspace}/jobs/teams_approval/{id}",
  "chats.postInTeams": "POST /api/teams/activities",
  "chats.teamsManifest": "GET /api/w/{workspace}/chat/teams/manifest/{path+}",
  "chats.teams": "POST /api/w/{workspace}/chat/teams/{path+}",
};
