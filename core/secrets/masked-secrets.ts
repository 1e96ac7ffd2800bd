import { limits } from "../../contract/limits.ts";

/**
 * Finds the secrets in a value by comparing it with its redacted form, because a mask has the length of the hidden text. The secrets in one
 * job's result must be hidden in the output of the next job, which did not read them itself.
 */
export function findMaskedSecrets(value: unknown, shown: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    if (typeof shown === "string" && String(value) !== shown) hiddenIn(String(value), shown, found);
  } else if (Array.isArray(value) && Array.isArray(shown)) {
    for (const [index, item] of value.entries()) findMaskedSecrets(item, shown[index], found);
  } else if (typeof value === "object" && value !== null && typeof shown === "object" && shown !== null) {
    // Keys are masked as well. Their order does not change.
    const seen = Object.entries(shown);
    for (const [index, [key, item]] of Object.entries(value).entries()) {
      const [seenKey, seenItem] = seen[index] ?? [];
      findMaskedSecrets(key, seenKey, found);
      findMaskedSecrets(item, seenItem, found);
    }
  }
  return found;
}

function hiddenIn(text: string, shown: string, found: Set<string>): void {
  for (const { index, 0: stars } of shown.matchAll(/\*+/g)) {
    const hidden = text.slice(index, index + stars.length);
    if (hidden !== stars && hidden.length >= limits.maskedChars) found.add(hidden);
  }
}
