import { createClient } from "../../../../contract/client/client.ts";
import {
  approvalNoticeOperations,
  approvalOperations,
  approvalRecordOperations,
} from "../../../../contract/client/operations/approvals.ts";
import {
  favoriteOperations,
  mentionOperations,
  preferenceOperations,
  searchOperations,
  viewOperations,
} from "../../../../contract/client/operations/console.ts";
import { deliveryOperations, instanceWebhookOperations, webhookOperations } from "../../../../contract/client/operations/events.ts";
import { flowOperations, flowRunOperations } from "../../../../contract/client/operations/flows.ts";
import {
  bulkOperations,
  inputOperations,
  jobControlOperations,
  jobListOperations,
  jobOperations,
  runDetailOperations,
  runOperations,
  shareOperations,
  streamOperations,
} from "../../../../contract/client/operations/jobs.ts";
import { memberOperations, peopleOperations, signInOperations, tokenOperations } from "../../../../contract/client/operations/people.ts";
import { fileOperations, resourceOperations, scriptOperations } from "../../../../contract/client/operations/stored.ts";
import { settingOperations, workspaceOperations } from "../../../../contract/client/operations/workspaces.ts";
import { send } from "../../shared/service.ts";

/** The operations that the console calls. The table of all operations would bring the schemas of stored kinds into the page. */
export const operations = {
  ...approvalNoticeOperations,
  ...approvalOperations,
  ...approvalRecordOperations,
  ...bulkOperations,
  ...deliveryOperations,
  ...favoriteOperations,
  ...fileOperations,
  ...flowOperations,
  ...flowRunOperations,
  ...inputOperations,
  ...instanceWebhookOperations,
  ...jobControlOperations,
  ...jobListOperations,
  ...jobOperations,
  ...memberOperations,
  ...mentionOperations,
  ...peopleOperations,
  ...preferenceOperations,
  ...resourceOperations,
  ...runDetailOperations,
  ...runOperations,
  ...scriptOperations,
  ...searchOperations,
  ...settingOperations,
  ...shareOperations,
  ...signInOperations,
  ...streamOperations,
  ...tokenOperations,
  ...viewOperations,
  ...webhookOperations,
  ...workspaceOperations,
};

/** The calls of the service, as the signed-in user. `ask` also returns the headers of an answer. */
export const { call, ask } = createClient(operations, send);
