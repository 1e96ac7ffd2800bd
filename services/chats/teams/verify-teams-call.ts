import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { SvcError } from "../../../contract/errors.ts";
import { activitySchema, type TeamsActivity } from "../../../core/chats/teams/teams-call.ts";
import { isTeamsServer, toMetadataUrl } from "../../../core/chats/teams/teams-server.ts";
import { tryParseJson } from "../../../core/payload/json.ts";
import type { TeamsCredential } from "../../../ports/chats.ts";
import { createKeySetReader, type KeySetReader } from "../../identity/tokens/issuer-keys.ts";
import type { Uses } from "../../uses.ts";
import { refuseCall } from "../received-call.ts";

/** The issuer of the tokens with which the Bot Framework calls bots. */
const ISSUER = "https://api.botframework.com";
/** The Bot Framework allows this difference of clocks. */
const CLOCK_TOLERANCE_S = 300;
const MOST_CHARACTERS = 8192;

/** A call that does not come from Teams. */
class RefusedCall extends Error {}

/** The keys of the Bot Framework in this process, by the adapter that reads them. */
const readers = new WeakMap<object, KeySetReader>();

function readerOf({ teams, nowMs }: Uses<"teams" | "nowMs">): KeySetReader {
  const reader = readers.get(teams) ?? createKeySetReader({ keySets: { fetchKeySet: teams.fetchSigningKeys }, nowMs });
  readers.set(teams, reader);
  return reader;
}

/**
 * Checks that a call comes from Teams and concerns the tenant of the resource, and returns its activity
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#connector-to-bot). The token does not cover the body, so everyone who receives
 * the bot's calls can send others in its place, until the token expires. Throws `chat.signature`; the reason is only in the log. Throws `service.busy`.
 */
export async function verifyTeamsCall(
  deps: Uses<"teams" | "nowMs">,
  credential: TeamsCredential,
  { workspace, authorization, bytes }: { workspace: string; authorization: string | undefined; bytes: Buffer },
): Promise<TeamsActivity> {
  try {
    const { server, endorsements } = await verifyToken(deps, credential, authorization);
    return readActivity(credential, bytes, server, endorsements);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw refuseCall("Teams", workspace, error);
  }
}

/** Returns the claims of a token that are compared with the activity. */
async function verifyToken(
  deps: Uses<"teams" | "nowMs">,
  credential: TeamsCredential,
  authorization: string | undefined,
): Promise<{ server: unknown; endorsements: unknown }> {
  const token = /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || token.length > MOST_CHARACTERS) throw new RefusedCall("There is no token.");
  const { alg, kid } = decodeProtectedHeader(token);
  // Checked before any key is fetched.
  if (alg !== "RS256" || kid === undefined) throw new RefusedCall("The algorithm of the token is not RS256, or its key is not named.");
  const keySet = await readerOf(deps)(toMetadataUrl(credential.login_url), kid);
  if ("retryAfterS" in keySet) throw new SvcError("service.busy", { service: "Microsoft Teams" });
  const { payload } = await jwtVerify(token, createLocalJWKSet(keySet), {
    algorithms: ["RS256"],
    issuer: ISSUER,
    audience: credential.app_id,
    requiredClaims: ["exp"],
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(deps.nowMs()),
  });
  return { server: payload["serviceurl"], endorsements: endorsementsOf(keySet, kid) };
}

/** A key names the channels for which it may sign. */
const endorsementsOf = ({ keys }: JSONWebKeySet, kid: string): unknown =>
  (keys.find((key) => key.kid === kid) as { endorsements?: unknown } | undefined)?.endorsements;

function readActivity(credential: TeamsCredential, bytes: Buffer, server: unknown, endorsements: unknown): TeamsActivity {
  const activity = activitySchema.parse(tryParseJson(bytes.toString("utf8"))?.json);
  if (!Array.isArray(endorsements) || !endorsements.includes(activity.channelId)) throw new RefusedCall("The key is not one for Teams.");
  if (activity.serviceUrl !== server) throw new RefusedCall("The token belongs to another server.");
  if (!isTeamsServer(activity.serviceUrl, credential.login_url)) throw new RefusedCall("The server is not one of Teams.");
  const { conversation, channelData } = activity;
  const tenants = [conversation.tenantId, channelData?.tenant?.id].filter((tenant) => typeof tenant === "string");
  if (tenants.length === 0 || !tenants.every((tenant) => tenant.toLowerCase() === credential.tenant_id.toLowerCase()))
    throw new RefusedCall("The activity belongs to another tenant.");
  return activity;
}
