import { isJsonObject } from "../../contract/json/json-object.ts";
import { replaceMarkedSecrets } from "../../contract/json/marked-secrets.ts";
import { limits } from "../../contract/limits.ts";
import { type Item, itemsOf, textOf } from "../approvals/description-items.ts";
import { shortenText } from "./event.ts";

/** The content of a request for approval that its mail shows besides the flow and the step. */
export interface RequestContent {
  flowSummary?: string;
  description?: string;
  inputs?: { name: string; value: string }[];
}

/** The number of inputs that a mail shows. The page shows all. */
const MAX_INPUTS = 20;
const VALUE_CHARS = 300;
const HIDDEN = "(not shown in mails)";

/** Tables show their first rows. */
const MOST_ROWS = 20;
const ELSEWHERE: Readonly<Record<"html" | "image" | "remote" | "map", string>> = {
  html: "(formatted text, see the page)",
  image: "(picture, see the page)",
  remote: "(picture, see the page)",
  map: "(map, see the page)",
};

/** Returns the text of the description that a step has returned for its approvers. Pictures, maps and HTML are on the page only. */
export function toDescriptionText(description: unknown): string | undefined {
  const texts = itemsOf(description).map(toItemText);
  return texts.length === 0 ? undefined : shortenText(texts.join("\n\n"), limits.noticeTextChars);
}

function toItemText(item: Item): string {
  switch (item.kind) {
    case "text":
    case "markdown":
      return item.text;
    case "table": {
      const hidden = item.rows.length - MOST_ROWS;
      const rows = [item.columns, ...item.rows.slice(0, MOST_ROWS)].map((row) => row.map(textOf).join(" | "));
      return [...rows, ...(hidden > 0 ? [`(${hidden} more rows, see the page)`] : [])].join("\n");
    }
    case "json":
      return JSON.stringify(item.value, null, 2);
    default:
      return ELSEWHERE[item.kind];
  }
}

/** Returns the inputs that the author of a step shows to its approvers, as texts. A value that the schema of the flow marks as a secret is left out. */
export function selectShownInputs(names: readonly string[], args: Readonly<Record<string, unknown>>, schema: unknown) {
  const replace = (secret: unknown) => (secret == null ? secret : HIDDEN);
  const shown = isJsonObject(schema) ? (replaceMarkedSecrets(args, schema, { replace }) as typeof args) : args;
  return names.slice(0, MAX_INPUTS).map((name) => {
    const value = Object.hasOwn(shown, name) ? shown[name] : null;
    return { name, value: shortenText(typeof value === "string" ? value : (JSON.stringify(value) ?? "null"), VALUE_CHARS) };
  });
}
