import { approvalNoticeRoutes } from "./approvals/approval-notices.ts";
import { approvalRecordRoutes } from "./approvals/approval-records.ts";
import { approvalRoutes } from "./approvals/approvals.ts";
import { chatRoutes } from "./approvals/chats.ts";
import { favoriteRoutes } from "./console/favorites.ts";
import { mentionRoutes } from "./console/mentions.ts";
import { preferenceRoutes } from "./console/preferences.ts";
import { searchRoutes } from "./console/search.ts";
import { viewRoutes } from "./console/views.ts";
import { deliveryRoutes } from "./events/deliveries.ts";
import { instanceWebhookRoutes } from "./events/instance-webhooks.ts";
import { webhookRoutes } from "./events/webhooks.ts";
import { flowRunRoutes } from "./flows/flow-runs.ts";
import { flowRoutes } from "./flows/flows.ts";
import { userStateRoutes } from "./flows/user-states.ts";
import { instanceRoutes } from "./instance/instance.ts";
import { webRoutes } from "./instance/web.ts";
import { bulkRoutes } from "./jobs/bulk.ts";
import { dependencyRunRoutes } from "./jobs/dependency-runs.ts";
import { inputRoutes } from "./jobs/inputs.ts";
import { internalRoutes } from "./jobs/internal.ts";
import { jobControlRoutes } from "./jobs/job-control.ts";
import { jobListRoutes } from "./jobs/job-lists.ts";
import { jobRoutes } from "./jobs/jobs.ts";
import { runDetailRoutes } from "./jobs/run-details.ts";
import { runRoutes } from "./jobs/runs.ts";
import { shareRoutes } from "./jobs/shares.ts";
import { streamRoutes } from "./jobs/streams.ts";
import { workerRoutes } from "./jobs/workers.ts";
import { accessRoutes } from "./people/access.ts";
import { chatAccountRoutes } from "./people/chat-accounts.ts";
import { connectRoutes } from "./people/connects.ts";
import { deviceRoutes } from "./people/device.ts";
import { idTokenRoutes } from "./people/id-tokens.ts";
import { memberRoutes } from "./people/members.ts";
import { oauthRoutes } from "./people/oauth.ts";
import { peopleRoutes } from "./people/people.ts";
import { signInRoutes } from "./people/sign-in.ts";
import { tokenRoutes } from "./people/tokens.ts";
import { scheduleRoutes } from "./schedules/schedules.ts";
import { simpleRoutesByName } from "./simple/simple-routes.ts";
import { accountRoutes } from "./stored/accounts.ts";
import { appRoutes } from "./stored/apps.ts";
import { draftRoutes } from "./stored/drafts.ts";
import { fileRoutes } from "./stored/files.ts";
import { resourceRoutes } from "./stored/resources.ts";
import { scriptDeclarationRoutes } from "./stored/script-declarations.ts";
import { scriptRoutes } from "./stored/scripts.ts";
import { tempScriptRoutes } from "./stored/temp-scripts.ts";
import { uploadRoutes } from "./stored/uploads.ts";
import { variableRoutes } from "./stored/variables.ts";
import { workspaceDependencyRoutes } from "./stored/workspace-dependencies.ts";
import { syncRoutes } from "./sync/sync.ts";
import { openapiDocumentRoutes } from "./triggers/openapi-documents.ts";
import { triggerRoutes } from "./triggers/triggers.ts";
import { auditRoutes } from "./workspaces/audit.ts";
import { keyRotationRoutes } from "./workspaces/key-rotation.ts";
import { opaqueSettingRoutes } from "./workspaces/opaque-settings.ts";
import { settingRoutes } from "./workspaces/settings.ts";
import { synchronisationRoutes } from "./workspaces/synchronisation.ts";
import { workspaceRoutes } from "./workspaces/workspaces.ts";

/** All routes of the API. */
export const routes = {
  ...runRoutes,
  ...flowRunRoutes,
  ...dependencyRunRoutes,
  ...userStateRoutes,
  ...streamRoutes,
  ...jobRoutes,
  ...jobListRoutes,
  ...runDetailRoutes,
  ...workerRoutes,
  ...jobControlRoutes,
  ...inputRoutes,
  ...shareRoutes,
  ...bulkRoutes,
  ...approvalRoutes,
  ...approvalRecordRoutes,
  ...approvalNoticeRoutes,
  ...chatRoutes,
  ...fileRoutes,
  ...uploadRoutes,
  ...scriptRoutes,
  ...scriptDeclarationRoutes,
  ...tempScriptRoutes,
  ...flowRoutes,
  ...variableRoutes,
  ...resourceRoutes,
  ...accountRoutes,
  ...scheduleRoutes,
  ...appRoutes,
  ...draftRoutes,
  ...favoriteRoutes,
  ...viewRoutes,
  ...mentionRoutes,
  ...preferenceRoutes,
  ...searchRoutes,
  ...workspaceDependencyRoutes,
  ...syncRoutes,
  ...triggerRoutes,
  ...openapiDocumentRoutes,
  ...workspaceRoutes,
  ...keyRotationRoutes,
  ...settingRoutes,
  ...opaqueSettingRoutes,
  ...synchronisationRoutes,
  ...webhookRoutes,
  ...instanceWebhookRoutes,
  ...deliveryRoutes,
  ...peopleRoutes,
  ...memberRoutes,
  ...accessRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...signInRoutes,
  ...oauthRoutes,
  ...chatAccountRoutes,
  ...deviceRoutes,
  ...connectRoutes,
  ...idTokenRoutes,
  ...instanceRoutes,
  ...webRoutes,
  ...internalRoutes,
  ...simpleRoutesByName,
};
