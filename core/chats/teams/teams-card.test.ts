import { describe, expect, it } from "vitest";
import { type Card, checkCard, labelsOf, linesOf } from "../../../test/support/chats/teams-card.ts";
import { findCardFault } from "./foreign-card.ts";
import { buildNoteCard, toTeamsCard } from "./teams-card.ts";

const actions = { reference: "a", approve: "Approve", reject: "Reject", page: "https://svc.example.com/approve/main/a" };

describe("a card", () => {
  it.each<[string, string]>([
    ["long texts", "a".repeat(4000)],
    ["many lines", "a\n".repeat(2000)],
    ["characters of four bytes", "😀".repeat(4000)],
    ["characters that JSON escapes", "\u0001".repeat(4000)],
    ["quotes", '"'.repeat(4000)],
  ])("with %s has at most 24 KB, and keeps its buttons", (_, text) => {
    const card = toTeamsCard({ title: "t", paragraphs: Array.from({ length: 6 }, () => text), actions }) as Card;
    checkCard(card);
    expect(labelsOf(card)).toEqual(["Approve", "Reject", "Open page"]);
    expect(linesOf(card).length).toBeGreaterThan(5);
  });

  it("has no button to reject if the request has none", () => {
    const { reject: _, ...others } = actions;
    expect(labelsOf(toTeamsCard({ title: "t", paragraphs: ["t"], actions: others }) as Card)).toEqual(["Approve", "Open page"]);
  });

  it("shows each line of a text as it is", () => {
    expect(linesOf(buildNoteCard("**a** [b](https://example.com)\r\n\n<at>c</at>") as Card)).toEqual([
      "**a** [b](https://example.com)",
      "<at>c</at>",
    ]);
  });
});

describe("findCardFault", () => {
  const card = { type: "AdaptiveCard", version: "1.5", body: [{ type: "TextBlock", text: "Done" }] };

  it("accepts a card that only opens addresses", () => {
    expect(findCardFault({ ...card, actions: [{ type: "Action.OpenUrl", title: "Open", url: "https://example.com" }] })).toBeUndefined();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["is no card", { type: "Container" }, /not an adaptive card/],
    ["is too large", { ...card, body: [{ type: "TextBlock", text: "a".repeat(25_000) }] }, /24 KB/],
    ["sends its inputs", { ...card, actions: [{ type: "Action.Submit" }] }, /call the bot/],
    ["hides the button", { ...card, body: [{ type: "Image", selectAction: { type: "action.execute" } }] }, /call the bot/],
    [
      "hides the button in another card",
      { ...card, actions: [{ type: "Action.ShowCard", card: { actions: [{ type: "Action.Execute" }] } }] },
      /call the bot/,
    ],
    ["hides the button as a fallback", { ...card, actions: [{ type: "Action.X", fallback: { type: "Action.Submit" } }] }, /call the bot/],
    ["calls the bot by itself", { ...card, refresh: {} }, /by itself/],
  ])("refuses a card that %s", (_, foreign, reason) => expect(findCardFault(foreign)).toMatch(reason));
});
