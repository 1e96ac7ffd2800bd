import { approvalNoticeRoutes } from "./routes/approvals/approval-notices.ts";
import { approvalRecordRoutes } from "./routes/approvals/approval-records.ts";
import { approvalRoutes } from "./routes/approvals/approvals.ts";
import { flowRunRoutes } from "./routes/flows/flow-runs.ts";
import { flowRoutes } from "./routes/flows/flows.ts";
import { userStateRoutes } from "./routes/flows/user-states.ts";
import { instanceRoutes } from "./routes/instance/instance.ts";
import { webRoutes } from "./routes/instance/web.ts";
import { internalRoutes } from "./routes/jobs/internal.ts";
import { jobControlRoutes } from "./routes/jobs/job-control.ts";
import { jobListRoutes } from "./routes/jobs/job-lists.ts";
import { jobRoutes } from "./routes/jobs/jobs.ts";
import { runRoutes } from "./routes/jobs/runs.ts";
import { streamRoutes } from "./routes/jobs/streams.ts";
import { accessRoutes } from "./routes/people/access.ts";
import { memberRoutes } from "./routes/people/members.ts";
import { oauthRoutes } from "./routes/people/oauth.ts";
import { peopleRoutes } from "./routes/people/people.ts";
import { signInRoutes } from "./routes/people/sign-in.ts";
import { tokenRoutes } from "./routes/people/tokens.ts";
import { fileRoutes } from "./routes/stored/files.ts";
import { resourceRoutes } from "./routes/stored/resources.ts";
import { scriptRoutes } from "./routes/stored/scripts.ts";
import { variableRoutes } from "./routes/stored/variables.ts";
import { auditRoutes } from "./routes/workspaces/audit.ts";
import { settingRoutes } from "./routes/workspaces/settings.ts";
import { workspaceRoutes } from "./routes/workspaces/workspaces.ts";

/** All routes of the API. */
export const routes = {
  ...runRoutes,
  ...flowRunRoutes,
  ...userStateRoutes,
  ...streamRoutes,
  ...jobRoutes,
  ...jobListRoutes,
  ...jobControlRoutes,
  ...approvalRoutes,
  ...approvalRecordRoutes,
  ...approvalNoticeRoutes,
  ...fileRoutes,
  ...scriptRoutes,
  ...flowRoutes,
  ...variableRoutes,
  ...resourceRoutes,
  ...workspaceRoutes,
  ...settingRoutes,
  ...peopleRoutes,
  ...memberRoutes,
  ...accessRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...signInRoutes,
  ...oauthRoutes,
  ...instanceRoutes,
  ...webRoutes,
  ...internalRoutes,
};
