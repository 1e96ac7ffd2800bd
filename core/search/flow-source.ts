import type { StoredFlow } from "../flows/version.ts";
import { toSearchText } from "./index-items.ts";

/** Returns all texts in the value of a flow: its inline scripts, expressions, paths and fixed arguments. */
export function toFlowSource({ sent }: Pick<StoredFlow, "sent">): string {
  const texts: string[] = [];
  const pending: unknown[] = [sent.value];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") texts.push(value);
    // The last one is read first.
    else if (typeof value === "object" && value !== null) pending.push(...Object.values(value).reverse());
  }
  return texts.join("\n");
}

/** Returns a version of a flow as the index contains it. */
export const toIndexedFlow = ({ sent, version }: Pick<StoredFlow, "sent" | "version">) => ({
  path: sent.path,
  text: toSearchText(sent),
  source: { version: String(version), text: toFlowSource({ sent }) },
});
