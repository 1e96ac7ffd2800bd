import type { Action, CardElement, IAdaptiveCard, IExecuteAction, IRichTextBlock } from "@microsoft/teams.cards";
import { shortenText } from "../../notifications/event.ts";
import { toName } from "../../notifications/text.ts";
import type { ChatContent } from "../chat-content.ts";

/** The size of a card. A message of a bot has at most 28 KB, and the rest of the message needs some of it. */
const CARD_BYTES = 24 * 1024;
const LABEL_CHARS = 60;
/** The length of a paragraph, in characters and lines. If the card is too large, the next limits apply. The last ones always fit. */
const PARAGRAPHS = [
  { chars: 4000, lines: 60 },
  { chars: 1000, lines: 30 },
  { chars: 250, lines: 8 },
] as const;

/**
 * The effects of buttons. `ask` shows a card for the reason of a rejection, and `back` shows the request again, so neither changes anything. `submit` approves with the inputs of the form,
 * and `reject` rejects with the reason.
 */
export const teamsVerbs = ["approve", "ask", "reject", "submit", "back"] as const;
export type TeamsVerb = (typeof teamsVerbs)[number];

/** The names of the two values that a button of this service contains. */
export const buttonFields = { verb: "svc_verb", reference: "svc_reference" } as const;
/** The input of the reason. */
export const REASON_INPUT = "reason";

/** Builds the card of a message. */
export function toTeamsCard({ paragraphs, actions }: ChatContent): IAdaptiveCard {
  const buttons: Action[] = actions
    ? [
        button(actions.approve, "approve", actions.reference, "positive"),
        ...(actions.reject === undefined ? [] : [button(actions.reject, "ask", actions.reference, "destructive")]),
        openPage(actions.page),
      ]
    : [];
  return shrinkTexts(paragraphs, (shown) => toCard(shown, buttons));
}

/** Builds the card that asks for the reason of a rejection, which only the person sees. `error`: why the earlier reason was refused. */
export const buildReasonCard = (reference: string, error?: string): IAdaptiveCard =>
  toCard(
    [
      ...(error === undefined ? [] : [toError(error)]),
      { type: "Input.Text", id: REASON_INPUT, label: "Reason", isMultiline: true, maxLength: 2000 },
    ],
    [button("Reject", "reject", reference, "destructive"), backTo(reference)],
  );

/** Builds a card with a text for one person. `reference`: the request to which the button Back leads. */
export function buildNoteCard(
  text: string,
  { links = [], reference }: { links?: readonly string[]; reference?: string } = {},
): IAdaptiveCard {
  const buttons: Action[] = links.map((url) => ({ type: "Action.OpenUrl", title: "Open", url }));
  return shrinkTexts([text], (shown) => toCard(shown, [...buttons, ...(reference === undefined ? [] : [backTo(reference)])]));
}

function shrinkTexts(paragraphs: readonly string[], build: (shown: CardElement[]) => IAdaptiveCard): IAdaptiveCard {
  const cards = PARAGRAPHS.map((most) => build(paragraphs.flatMap((text) => toBlocks(text, most))));
  return cards.find(fitsIntoTeams) ?? build([]);
}

/** Returns whether Teams accepts a card of this size. */
export const fitsIntoTeams = (card: object) => Buffer.byteLength(JSON.stringify(card)) <= CARD_BYTES;

export const toCard = (body: CardElement[], actions: Action[]): IAdaptiveCard => ({
  type: "AdaptiveCard",
  $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
  version: "1.5",
  body,
  actions,
});

/**
 * Shows a text as it is. Text runs have no Markdown, unlike text blocks, so a text of users contains no link under another name; and no mention, because the message
 * declares none (https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format).
 */
export const toText = (text: string, style: { weight?: "Bolder"; color?: "Attention"; isSubtle?: boolean } = {}): IRichTextBlock => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text, ...style }],
});

export const toError = (text: string) => toText(text, { color: "Attention" });

/** A text run is one line. The lines beyond the limit become one. */
function toBlocks(text: string, { chars, lines: most }: (typeof PARAGRAPHS)[number]): IRichTextBlock[] {
  const lines = shortenText(text, chars)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "");
  const shown = lines.length > most ? [...lines.slice(0, most - 1), lines.slice(most - 1).join(" ")] : lines;
  return shown.map((line, index) => ({ ...toText(line), spacing: index === 0 ? "Medium" : "None" }));
}

/** A button for new clients, and the same one for clients that do not support it (https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/work-with-universal-actions-for-adaptive-cards). */
export function button(label: string, verb: TeamsVerb, reference: string, style?: "positive" | "destructive"): IExecuteAction {
  const shared = {
    title: shortenText(toName(label), LABEL_CHARS),
    data: { [buttonFields.verb]: verb, [buttonFields.reference]: reference },
    ...(style ? { style } : {}),
  };
  return { type: "Action.Execute", verb, ...shared, fallback: { type: "Action.Submit", ...shared } };
}

export const openPage = (url: string): Action => ({ type: "Action.OpenUrl", title: "Open page", url });
/** The button to the request does not need valid inputs. */
export const backTo = (reference: string): Action => ({ ...button("Back", "back", reference), associatedInputs: "none" });
