// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.
import { simpleOperations } from "../simple-operations.ts";
import { approvalNoticeOperations, approvalOperations, approvalRecordOperations } from "./approvals.ts";
import { favoriteOperations, preferenceOperations, searchOperations, viewOperations } from "./console.ts";
import { deliveryOperations, instanceWebhookOperations, webhookOperations } from "./events.ts";
import { flowOperations, flowRunOperations, userStateOperations } from "./flows.ts";
import { instanceOperations, webOperations } from "./instance.ts";
import {
  bulkOperations,
  dependencyRunOperations,
  inputOperations,
  internalOperations,
  jobControlOperations,
  jobListOperations,
  jobOperations,
  runDetailOperations,
  runOperations,
  shareOperations,
  streamOperations,
  workerOperations,
} from "./jobs.ts";
import {
  accessOperations,
  connectOperations,
  deviceOperations,
  idTokenOperations,
  memberOperations,
  oauthOperations,
  peopleOperations,
  signInOperations,
  tokenOperations,
} from "./people.ts";
import { scheduleOperations } from "./schedules.ts";
import {
  accountOperations,
  appOperations,
  draftOperations,
  fileOperations,
  resourceOperations,
  scriptOperations,
  tempScriptOperations,
  variableOperations,
  workspaceDependencyOperations,
} from "./stored.ts";
import { syncOperations } from "./sync.ts";
import { httpOperations, missingTriggerOperations, openapiDocumentOperations, triggerOperations } from "./triggers.ts";
import {
  auditOperations,
  opaqueSettingOperations,
  settingOperations,
  synchronisationOperations,
  workspaceOperations,
} from "./workspaces.ts";

/** All operations. */
export const operations = {
  ...approvalNoticeOperations,
  ...approvalRecordOperations,
  ...approvalOperations,
  ...favoriteOperations,
  ...preferenceOperations,
  ...searchOperations,
  ...viewOperations,
  ...deliveryOperations,
  ...instanceWebhookOperations,
  ...webhookOperations,
  ...flowRunOperations,
  ...flowOperations,
  ...userStateOperations,
  ...instanceOperations,
  ...webOperations,
  ...bulkOperations,
  ...dependencyRunOperations,
  ...inputOperations,
  ...internalOperations,
  ...jobControlOperations,
  ...jobListOperations,
  ...jobOperations,
  ...runDetailOperations,
  ...runOperations,
  ...shareOperations,
  ...streamOperations,
  ...workerOperations,
  ...accessOperations,
  ...connectOperations,
  ...deviceOperations,
  ...idTokenOperations,
  ...memberOperations,
  ...oauthOperations,
  ...peopleOperations,
  ...signInOperations,
  ...tokenOperations,
  ...scheduleOperations,
  ...accountOperations,
  ...appOperations,
  ...draftOperations,
  ...fileOperations,
  ...resourceOperations,
  ...scriptOperations,
  ...tempScriptOperations,
  ...variableOperations,
  ...workspaceDependencyOperations,
  ...syncOperations,
  ...missingTriggerOperations,
  ...openapiDocumentOperations,
  ...httpOperations,
  ...triggerOperations,
  ...auditOperations,
  ...opaqueSettingOperations,
  ...settingOperations,
  ...synchronisationOperations,
  ...workspaceOperations,
  ...simpleOperations,
};
