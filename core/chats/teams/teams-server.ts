/** The server of the Bot Framework for bots in Teams that does not depend on a region (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages). */
export const DEFAULT_SERVER = "https://smba.trafficmanager.net/teams/";

/**
 * Returns whether a server may get the bot's token and name persons. Other channels of the Bot Framework, which are on by default, let anyone choose who sends an
 * activity, and have other servers. A resource with its own `login_url` has its own keys and its own servers.
 */
export function isTeamsServer(address: string, loginUrl: string | undefined): boolean {
  const url = URL.parse(address);
  if (url?.username !== "") return false;
  if (loginUrl !== undefined) return url.protocol === "https:" || url.protocol === "http:";
  return (
    url.protocol === "https:" &&
    url.port === "" &&
    (url.hostname === "smba.trafficmanager.net" || url.hostname.endsWith(".teams.microsoft.com"))
  );
}

/** Returns the address of the metadata with the keys that sign the calls of the Bot Framework. */
export const toMetadataUrl = (loginUrl: string | undefined) =>
  `${withoutSlash(loginUrl ?? "https://login.botframework.com")}/v1/.well-known/openidconfiguration`;

/** Returns the address at which a bot of a tenant gets its token. */
export const toTokenUrl = (loginUrl: string | undefined, tenant: string) =>
  `${withoutSlash(loginUrl ?? "https://login.microsoftonline.com")}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;

const withoutSlash = (address: string) => address.replace(/\/$/, "");

/** Returns whether a conversation is a channel of a team. Each message in it begins a thread. */
export const isChannel = (conversation: string) => /@thread\.(?:tacv2|skype)$/.test(conversation);

/** Returns the conversation of the thread that a message begins or belongs to. */
export const toThread = (conversation: string, ts: string) => (isChannel(conversation) ? `${conversation};messageid=${ts}` : conversation);
