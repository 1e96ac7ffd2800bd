import { domainApi } from "../shared/edge/domain-api.ts";
import { audit } from "./audit.ts";
import { connects } from "./connects.ts";
import { dependencies } from "./dependencies.ts";
import { devices } from "./device.ts";
import { drafts } from "./drafts.ts";
import { emptyLists } from "./empty-lists.ts";
import { access } from "./groups-and-acls.ts";
import { idTokens } from "./id-tokens.ts";
import { instanceWebhooks } from "./instance-webhooks.ts";
import { members } from "./members.ts";
import { oauth } from "./oauth.ts";
import { openapiDocuments } from "./openapi-documents.ts";
import { instancePeople } from "./people.ts";
import { settings } from "./settings.ts";
import { signInHandlers } from "./sign-in.ts";
import { tokens } from "./tokens.ts";
import { webhooks } from "./webhooks.ts";
import { workspaces } from "./workspaces.ts";

/** Users and their tokens, workspaces with their members, permissions and settings, and the audit log. */
export const handler = domainApi([
  ...workspaces,
  ...settings,
  ...webhooks,
  ...instanceWebhooks,
  ...members,
  ...access,
  ...instancePeople,
  ...tokens,
  ...signInHandlers,
  ...oauth,
  ...devices,
  ...connects,
  ...idTokens,
  ...audit,
  ...emptyLists,
  ...openapiDocuments,
  ...drafts,
  ...dependencies,
]);
