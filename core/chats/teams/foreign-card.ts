import { fitsIntoTeams } from "./teams-card.ts";

/** Actions whose data reaches the bot. Such a button could look like one that decides. */
const CALLING = new Set(["action.execute", "action.submit"]);
/** Parts of a card that call the bot without a button. */
const CALLING_PARTS = ["refresh", "authentication"];

/** Returns why a card of users is not sent, or `undefined` if it is. */
export function findCardFault(card: Readonly<Record<string, unknown>>): string | undefined {
  if (card["type"] !== "AdaptiveCard") return "card_block is not an adaptive card";
  if (!fitsIntoTeams(card)) return "card_block is larger than 24 KB";
  const rest: unknown[] = [card];
  while (rest.length > 0) {
    const part = rest.pop();
    if (typeof part !== "object" || part === null) continue;
    if ("type" in part && typeof part.type === "string" && CALLING.has(part.type.toLowerCase()))
      return "card_block has buttons that call the bot: use Action.OpenUrl";
    if (CALLING_PARTS.some((name) => name in part)) return "card_block calls the bot by itself, with refresh or authentication";
    rest.push(...Object.values(part));
  }
  return undefined;
}
