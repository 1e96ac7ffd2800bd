import { isJsonObject } from "../../contract/json/json-object.ts";
import { replaceMarkedSecrets } from "../../contract/json/marked-secrets.ts";
import { limits } from "../../contract/limits.ts";
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

/** Returns the text of the description that a step has returned for its approvers. Pictures, maps and tables are on the page only. */
export function toDescriptionText(description: unknown): string | undefined {
  const items = isJsonObject(description) && Array.isArray(description["render_all"]) ? description["render_all"] : [description];
  const texts = items.flatMap((item: unknown) => {
    if (typeof item === "string") return item;
    return isJsonObject(item) && typeof item["markdown"] === "string" ? item["markdown"] : [];
  });
  return texts.length === 0 ? undefined : shortenText(texts.join("\n\n"), limits.noticeTextChars);
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
