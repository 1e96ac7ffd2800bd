import { createHash, timingSafeEqual } from "node:crypto";

const hash = (text: string) => createHash("sha256").update(text).digest();

/** Returns whether two texts are equal. The time that it takes depends on neither of them. */
export const areEqualTexts = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b));

/** Returns whether a text is one of the accepted ones. All of them are compared. */
export const isOneOf = (value: string, accepted: readonly string[]): boolean =>
  accepted.map((text) => areEqualTexts(value, text)).includes(true);
