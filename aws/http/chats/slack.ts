import { LogLevel, WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError, WebClient } from "@slack/web-api";
import * as z from "zod";
import { defined, mapDefined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { describeSlackError, isTemporarySlackError } from "../../../core/chats/slack/slack-errors.ts";
import { escapeText, toSlackMessage } from "../../../core/chats/slack/slack-message.ts";
import type { Attempt } from "../../../core/deliveries/attempt.ts";
import type { ChatVendor, Slack, SlackCredential, SlackPerson, VendorAnswer } from "../../../ports/chats.ts";
import { ForbiddenAddressError } from "../egress.ts";
import { fetchGuarded } from "../guarded-fetch.ts";

const MAX_BYTES = 1024 * 1024;

/** Deliveries have their own schedule of retries, so the client makes each call once. Its warnings repeat addresses, so it logs errors alone. */
function clientOf({ token, api_url: slackApiUrl }: SlackCredential): WebClient {
  return new WebClient(token, {
    ...defined({ slackApiUrl: mapDefined(slackApiUrl, (address) => address.replace(/\/?$/, "/")) }),
    fetch: (url, { method = "POST", headers = {}, body } = {}) =>
      fetchGuarded(String(url), {
        method,
        headers,
        body: typeof body === "string" ? body : "",
        timeoutMs: limits.chatAnswerMs,
        maxBytes: MAX_BYTES,
        keepAlive: true,
      }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logLevel: LogLevel.ERROR,
  });
}

async function call<Value>(credential: SlackCredential, request: (client: WebClient) => Promise<Value>): Promise<VendorAnswer<Value>> {
  try {
    return { ok: true, value: await request(clientOf(credential)) };
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): Extract<Attempt, { ok: false }> {
  if (error instanceof WebAPIRateLimitedError)
    return { ok: false, final: false, error: "Slack asks to send less", retryAfterMs: error.retryAfter * 1000 };
  if (error instanceof WebAPIPlatformError) {
    const { error: code } = error.data;
    return { ok: false, final: !isTemporarySlackError(code), error: describeSlackError(code) };
  }
  if (error instanceof WebAPIHTTPError) return { ok: false, final: false, error: `Slack returned status ${error.statusCode}` };
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  if (cause instanceof ForbiddenAddressError)
    return { ok: false, final: true, error: "the api_url of the resource is inside the network, which is not allowed" };
  // Anything else, for example HTML instead of JSON. The message of an error can contain the address or the body.
  const { name, code } = cause as { name: string; code?: string };
  return { ok: false, final: false, error: `Slack did not answer as expected (${code ?? name})` };
}

const placeSchema = z.object({ channel: z.string(), ts: z.string() });
const personSchema = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string(),
    deleted: z.boolean().optional(),
    is_bot: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
    is_stranger: z.boolean().optional(),
    is_email_confirmed: z.boolean().optional(),
    profile: z.object({ email: z.string().optional() }),
  }),
});

/** The hosts of files, besides that of the API. The request contains the token. */
const FILE_HOSTS = ["https://files.slack.com", "https://files.slack-gov.com"];

async function downloadFile({ token, api_url: apiUrl }: SlackCredential, url: string, bytes: number): Promise<VendorAnswer<Buffer>> {
  const origins = [...FILE_HOSTS, ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])];
  const address = URL.parse(url);
  if (!address || !origins.includes(address.origin)) return { ok: false, final: true, error: "it is not stored in Slack" };
  const response = await fetchGuarded(url, {
    method: "GET",
    headers: { authorization: `Bearer ${token}` },
    body: "",
    timeoutMs: limits.chatAnswerMs,
    maxBytes: MAX_BYTES,
    keepAlive: true,
  });
  const content = Buffer.from(await response.arrayBuffer());
  // Without the scope, Slack answers with a redirect or with its sign-in page.
  if (response.status === 200 && content.length === bytes) return { ok: true, value: content };
  return { ok: false, final: true, error: `Slack returned status ${response.status} and no file: does the app have the scope files:read?` };
}

/** Slack's Web API by its own client. Its connections are guarded like those of webhooks (design §8). Methods: https://docs.slack.dev/reference/methods */
export const slack: Slack & ChatVendor<SlackCredential> = {
  post: (credential, { channel, thread }, content) =>
    call(credential, async (client) =>
      placeSchema.parse(
        await client.apiCall("chat.postMessage", {
          channel,
          ...toSlackMessage(content),
          unfurl_links: false,
          unfurl_media: false,
          ...defined({ thread_ts: thread }),
        }),
      ),
    ),
  update: (credential, { channel, ts }, content) =>
    call(credential, async (client) => void (await client.apiCall("chat.update", { channel, ts, ...toSlackMessage(content) }))),
  // Slack takes the id of a person as that of the channel with them.
  openDirectMessage: async (_, user) => ({ ok: true, value: { channel: user } }),
  tell: (credential, { channel, user }, text) =>
    call(credential, async (client) => void (await client.apiCall("chat.postEphemeral", { channel, user, text: escapeText(text) }))),
  openDialog: (credential, trigger, view) =>
    call(credential, async (client) => void (await client.apiCall("views.open", { trigger_id: trigger, view }))),
  downloadFile: async (credential, url, bytes) => {
    try {
      return await downloadFile(credential, url, bytes);
    } catch (error) {
      return toFailure(error);
    }
  },
  findPerson: (credential, user) =>
    call(credential, async (client) => toPerson(personSchema.parse(await client.apiCall("users.info", { user })))),
  findPersonByEmail: (credential, email) =>
    call(credential, async (client) => {
      try {
        const reply = personSchema.parse(await client.apiCall("users.lookupByEmail", { email }));
        const person = toPerson(reply);
        return person.isOutsider || person.email?.toLowerCase() !== email.toLowerCase() ? undefined : reply.user.id;
      } catch (error) {
        if (error instanceof WebAPIPlatformError && error.data.error === "users_not_found") return undefined;
        throw error;
      }
    }),
};

function toPerson({ user }: z.infer<typeof personSchema>): SlackPerson {
  const { is_bot, is_restricted, is_ultra_restricted, is_stranger, deleted, is_email_confirmed, profile, team_id: team } = user;
  return {
    team,
    email: is_email_confirmed === true ? profile.email : undefined,
    isOutsider: [is_bot, is_restricted, is_ultra_restricted, is_stranger, deleted].includes(true),
  };
}
