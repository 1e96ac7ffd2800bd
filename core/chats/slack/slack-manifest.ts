import { chatOperations } from "../../../contract/client/operations/approvals.ts";
import { toRequest } from "../../../contract/client/request.ts";
import { shortenText } from "../../notifications/event.ts";

/** The name of the app and of its bot, which the team can change. Names have at most 35 characters. */
const NAME = "svc approvals";
const DESCRIPTION_CHARS = 140;
/** To post and change messages, to distinguish members and their confirmed addresses, and to download the files of forms. */
const SCOPES: ("chat:write" | "users:read" | "users:read.email" | "files:read")[] = [
  "chat:write",
  "users:read",
  "users:read.email",
  "files:read",
];

/**
 * Builds the manifest (https://docs.slack.dev/reference/app-manifest) of the Slack app that belongs to a resource: the scopes that messages and checks of people need, and the address to which Slack
 * sends clicks. It contains nothing that its own address does not state, so it can be made before the resource exists.
 */
export function buildSlackManifest(baseUrl: string, { workspace, path }: { workspace: string; path: string }) {
  const url = `${baseUrl}${toRequest(chatOperations, "chats.slack", { workspace, path }).address}`;
  const description = `Requests for approval from ${new URL(baseUrl).host}, workspace ${workspace}, by the resource ${path}`;
  return {
    _metadata: { major_version: 1, minor_version: 1 },
    display_information: { name: NAME, description: shortenText(description, DESCRIPTION_CHARS) },
    features: {
      // Approvers receive direct messages there, and the app reads no answers.
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: NAME, always_online: true },
    },
    oauth_config: { scopes: { bot: SCOPES } },
    settings: {
      // The second address loads the choices of a field on typing.
      interactivity: { is_enabled: true, request_url: url, message_menu_options_url: url },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
}
