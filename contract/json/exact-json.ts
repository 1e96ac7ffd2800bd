/**
 * JSON whose whole numbers stay exact: one that a double cannot hold is a BigInt. JSON.stringify writes a BigInt as a number, because every BigInt of the
 * service comes from here.
 */

/** Nesting depth of lists and objects in a value. The JSON parser of every language can read this depth without a stack overflow. */
export const MAX_DEPTH = 400;
/** Digits of a whole number. Python refuses more than 4300. */
export const MAX_DIGITS = 4000;

// TypeScript's library declares neither `rawJSON` nor the third parameter of a reviver yet.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: Record<string, unknown>, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    /** Returns a JSON number with its source text. Absent before Node 21, where only the command line runs: it rounds numbers there. */
    rawJSON?(text: string): unknown;
  }
}

Object.defineProperty(BigInt.prototype, "toJSON", {
  value(this: bigint) {
    return JSON.rawJSON?.(this.toString());
  },
  configurable: true,
  writable: true,
});

/** A run of digits that may be a whole number beyond 2^53, in text or outside of it. */
const LONG_DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;

/** Parses JSON like JSON.parse, with its whole numbers exact. Throws SyntaxError. The text must not be nested more deeply than a parser can follow. */
export function parseExactJson(text: string): unknown {
  if (!LONG_DIGITS.test(text) || !JSON.rawJSON) return JSON.parse(text);
  const { digits, depth } = measureJson(text);
  // A deeper text is refused by each reader, and a reviver would exhaust the stack before.
  if (digits < 16 || depth > 2 * MAX_DEPTH) return JSON.parse(text);
  return JSON.parse(text, (_, value, { source }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined || !WHOLE.test(source)) return value;
    return String(value) === source ? value : BigInt(source);
  });
}

/** Returns a value with its whole numbers as doubles, for code that supports only doubles, such as a validator of schemas. */
export const toDoubles = (value: unknown): unknown => (holdsBigInt(value) ? JSON.parse(JSON.stringify(value)) : value);

/** Returns whether a value contains a whole number that a double cannot hold. */
export function holdsBigInt(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsBigInt);
}

interface JsonMeasure {
  depth: number;
  /** The length of the longest run of digits outside of texts. */
  digits: number;
  /** A number outside of texts has an exponent of three digits or more. */
  exponent: boolean;
}

/** Measures JSON in one pass. The text must be JSON. */
export function measureJson(json: string): JsonMeasure {
  const found: JsonMeasure = { depth: 0, digits: 0, exponent: false };
  let depth = 0;
  let digits = 0;
  let afterExponent = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (char >= 48 && char <= 57) {
      digits += 1;
      if (digits > found.digits) found.digits = digits;
      if (afterExponent && digits > 2) found.exponent = true;
      continue;
    }
    // An exponent may have a sign before its digits.
    if (char === 101 || char === 69) afterExponent = digits > 0;
    else if (char !== 43 && char !== 45) afterExponent = false;
    digits = 0;
    if (char === 34) {
      for (at += 1; at < json.length && json.charCodeAt(at) !== 34; at += 1) if (json.charCodeAt(at) === 92) at += 1;
    } else if (char === 123 || char === 91) {
      depth += 1;
      if (depth > found.depth) found.depth = depth;
    } else if (char === 125 || char === 93) {
      depth -= 1;
    }
  }
  return found;
}

/** A number with fewer digits and an exponent of two digits is no larger than 1e299, which a double can hold. */
const MOST_FINITE_DIGITS = 200;

/** Returns why a value cannot be passed between languages, as the end of a sentence about it; `undefined` if it can. `json` is valid JSON. */
export function findExcess(json: string, maxDepth = MAX_DEPTH): string | undefined {
  const { depth, digits, exponent } = measureJson(json);
  if (depth > maxDepth) return `it is nested more than ${maxDepth} levels deep`;
  if (digits > MAX_DIGITS) return `it contains a number of more than ${MAX_DIGITS} digits`;
  const infinite = exponent || digits > MOST_FINITE_DIGITS ? findInfinite(json) : undefined;
  return infinite && `it contains the number ${infinite}, which is larger than any double`;
}

/** Returns a number that a double cannot hold at all, as it was written. A whole number becomes a BigInt. */
function findInfinite(json: string): string | undefined {
  let found: string | undefined;
  JSON.parse(json, (_, value, { source }) => {
    const isInfinite = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
    if (isInfinite && source !== undefined && !WHOLE.test(source)) found = source.slice(0, 40);
    return null;
  });
  return found;
}
