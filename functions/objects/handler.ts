import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { RefreshCall } from "../../core/accounts/account.ts";
import type { RotationCall } from "../../core/secrets/key-ring.ts";
import { domainApi } from "../shared/edge/domain-api.ts";
import { accounts, refreshTokens } from "./accounts.ts";
import { apps } from "./apps.ts";
import { continueRotation, encryptionKey } from "./encryption-key.ts";
import { files } from "./files.ts";
import { flows } from "./flows.ts";
import { resources } from "./resources.ts";
import { scripts } from "./scripts.ts";
import { simpleObjects } from "./simple-objects.ts";
import { tempScripts } from "./temp-scripts.ts";
import { variables } from "./variables.ts";

const api = domainApi([
  ...files,
  ...scripts,
  ...tempScripts,
  ...flows,
  ...variables,
  ...resources,
  ...accounts,
  ...apps,
  ...encryptionKey,
  ...simpleObjects,
]);

/**
 * Stored objects: scripts, flows, variables, resources with their types, accounts of other services, apps, files, and the key of their secrets.
 * Housekeeping calls the function for tokens that must be refreshed and for rotations of keys, because it may open secrets.
 */
export const handler = async (event: APIGatewayProxyEvent | RefreshCall | RotationCall, context: Context) => {
  if ("refresh" in event) return refreshTokens(event, context);
  return "rotate" in event ? continueRotation(event, context) : api(event, context);
};
