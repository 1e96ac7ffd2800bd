/** The advice about an error of Discord, by its code (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json). */
const advice: Readonly<Record<string, string>> = {
  10003: "there is no such channel: use the id of a channel of a server in which the bot is",
  10004: "there is no such server",
  10008: "the message was deleted",
  10013: "there is no such person",
  40001: "the token is not valid: replace the token of the resource",
  50001: "the bot cannot see the channel: add it to the server, and allow it to view the channel",
  50005: "another bot posted the message",
  50007: "the person does not accept direct messages of the bot: it must be in a server with them",
  50008: "the channel cannot contain messages",
  50013: "the bot lacks a permission: allow it to send messages in the channel",
  50035: "it does not accept the message",
  50083: "the thread is archived",
};

/** Describes an error of Discord: its code and what to do. A server at `api_url` chooses the code, so only a number is shown. `status`: of the response. */
export function describeDiscordError(code: unknown, status: number): string {
  if (status === 401) return "Discord answered 401: the token is not valid: replace the token of the resource";
  const shown = typeof code === "number" && Number.isInteger(code) && code > 0 ? String(code) : `status ${status}`;
  const sentence = advice[shown];
  return sentence === undefined ? `Discord answered ${shown}` : `Discord answered ${shown}: ${sentence}`;
}
