import { domainApi } from "../shared/edge/domain-api.ts";
import { audit } from "./audit.ts";
import { dependencies } from "./dependencies.ts";
import { drafts } from "./drafts.ts";
import { emptyLists } from "./empty-lists.ts";
import { access } from "./groups-and-acls.ts";
import { instanceWebhooks } from "./instance-webhooks.ts";
import { members } from "./members.ts";
import { openapiDocuments } from "./openapi-documents.ts";
import { instancePeople } from "./people.ts";
import { settings } from "./settings.ts";
import { chatAccounts } from "./sign-in/chat-accounts.ts";
import { connects } from "./sign-in/connects.ts";
import { devices } from "./sign-in/device.ts";
import { idTokens } from "./sign-in/id-tokens.ts";
import { oauth } from "./sign-in/oauth.ts";
import { preferences } from "./sign-in/preferences.ts";
import { signInHandlers } from "./sign-in/sign-in.ts";
import { tokens } from "./sign-in/tokens.ts";
import { webhooks } from "./webhooks.ts";
import { workspaces } from "./workspaces.ts";

/** Users, their tokens and preferences, workspaces with their members, permissions and settings, and the audit log. */
export const handler = domainApi([
  ...workspaces,
  ...settings,
  ...webhooks,
  ...instanceWebhooks,
  ...members,
  ...access,
  ...instancePeople,
  ...tokens,
  ...preferences,
  ...signInHandlers,
  ...oauth,
  ...devices,
  ...chatAccounts,
  ...connects,
  ...idTokens,
  ...audit,
  ...emptyLists,
  ...openapiDocuments,
  ...drafts,
  ...dependencies,
]);
