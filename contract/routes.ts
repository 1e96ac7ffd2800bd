import { accessRoutes } from "./routes/access.ts";
import { approvalNoticeRoutes } from "./routes/approval-notices.ts";
import { approvalRecordRoutes } from "./routes/approval-records.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { fileRoutes } from "./routes/files.ts";
import { flowRunRoutes } from "./routes/flow-runs.ts";
import { flowRoutes } from "./routes/flows.ts";
import { instanceRoutes } from "./routes/instance.ts";
import { internalRoutes } from "./routes/internal.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { memberRoutes } from "./routes/members.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { peopleRoutes } from "./routes/people.ts";
import { resourceRoutes } from "./routes/resources.ts";
import { runRoutes } from "./routes/runs.ts";
import { scriptRoutes } from "./routes/scripts.ts";
import { settingRoutes } from "./routes/settings.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { streamRoutes } from "./routes/streams.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { variableRoutes } from "./routes/variables.ts";
import { webRoutes } from "./routes/web.ts";
import { workspaceRoutes } from "./routes/workspaces.ts";

/** The whole API, each route once. */
export const routes = {
  ...runRoutes,
  ...flowRunRoutes,
  ...streamRoutes,
  ...jobRoutes,
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
