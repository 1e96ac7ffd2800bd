import { createClient } from "../../../../contract/client/client.ts";
import { accessOperations, chatAccountOperations } from "../../../../contract/client/operations/people.ts";
import { scheduleOperations } from "../../../../contract/client/operations/schedules.ts";
import { appOperations, variableOperations } from "../../../../contract/client/operations/stored.ts";
import { openapiDocumentOperations, setupOperations, triggerOperations } from "../../../../contract/client/operations/triggers.ts";
import { auditOperations, keyRotationOperations, opaqueSettingOperations } from "../../../../contract/client/operations/workspaces.ts";
import { send } from "../../shared/service.ts";
import { operations as common } from "./api.ts";

/** The operations of the pages of stored objects and people. They are apart, because every page loads those of `api.ts`. */
export const operations = {
  ...common,
  ...accessOperations,
  ...appOperations,
  ...auditOperations,
  ...chatAccountOperations,
  ...keyRotationOperations,
  ...opaqueSettingOperations,
  ...openapiDocumentOperations,
  ...scheduleOperations,
  ...setupOperations,
  ...triggerOperations,
  ...variableOperations,
};

/** The calls of the service, as the signed-in user. `ask` also returns the headers of an answer. */
export const { call, ask } = createClient(operations, send);
