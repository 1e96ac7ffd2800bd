/** The advice about an error of Slack, by its code (https://docs.slack.dev/reference/methods/chat.postMessage#errors). */
const advice: Readonly<Record<string, string>> = {
  channel_not_found: "there is no such channel, or the app cannot see it: use the id of a channel and invite the app",
  not_in_channel: "the app is not in the channel: invite it with /invite",
  is_archived: "the channel is archived",
  invalid_auth: "the token is not valid: install the app again and replace the token of the resource",
  not_authed: "the resource has no token",
  token_revoked: "the token was revoked: install the app again and replace the token of the resource",
  token_expired: "the token has expired: install the app again and replace the token of the resource",
  account_inactive: "the app or its team was deactivated",
  missing_scope: "the app lacks a scope: compare it with the manifest, and install it again",
  expired_trigger_id: "the dialog took longer than three seconds to open: click again",
  message_not_found: "the message was deleted",
  cant_update_message: "another app posted the message",
  edit_window_closed: "the settings of the team do not allow to change the message any more",
  restricted_action: "the settings of the team do not allow the app to post in this channel",
};

/** Errors after which the same call may succeed. */
const TEMPORARY: ReadonlySet<string> = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
  "accesslimited",
]);

/** Returns whether the call that ended with an error of Slack can succeed later. */
export const isTemporarySlackError = (code: string): boolean => TEMPORARY.has(code);

/** Describes an error of Slack: its code and what to do. The code is shortened, because a server at `api_url` chooses it. */
export function describeSlackError(code: string): string {
  const shown = code.replace(/[^\w.-]/g, "_").slice(0, 60);
  const sentence = Object.hasOwn(advice, code) ? advice[code] : undefined;
  return sentence === undefined ? `Slack answered ${shown}` : `Slack answered ${shown}: ${sentence}`;
}
