import { SvcError } from "../../contract/errors.ts";
import { findExcess, MAX_DEPTH, measureJson, parseExactJson } from "../../contract/json/exact-json.ts";
import { mayHoldHalfPair, toWellFormedJson } from "../../contract/json/well-formed-json.ts";

/**
 * Parses JSON with exact whole numbers. Half a surrogate pair, which no store accepts, becomes U+FFFD. Throws `body.notJson` with the position, `body.tooDeep`
 * and `body.number`.
 */
export function parseJson(source: string): unknown {
  const value = parse(source);
  checkExcess(source);
  // Few bodies contain such escapes, so most are parsed once.
  return mayHoldHalfPair(source) ? parseExactJson(toWellFormedJson(source)) : value;
}

/**
 * Parses JSON after an optional byte order mark, also without half surrogate pairs. Returns `undefined` for other text. Throws `body.tooDeep` and `body.number`, because the
 * parsers of other languages would fail.
 */
export function tryParseJson(source: string): { json: unknown } | undefined {
  const text = source.replace(/^\ufeff/, "");
  let json: unknown;
  try {
    json = parseExactJson(toWellFormedJson(text));
  } catch {
    // The text is not JSON.
    return undefined;
  }
  checkExcess(source);
  return { json };
}

function checkExcess(json: string): void {
  const { depth } = measureJson(json);
  if (depth > MAX_DEPTH) throw new SvcError("body.tooDeep", { limit: MAX_DEPTH });
  const reason = findExcess(json);
  if (reason) throw new SvcError("body.number", { reason });
}

function parse(source: string): unknown {
  try {
    return parseExactJson(source);
  } catch (cause) {
    throw new SvcError("body.notJson", { position: positionIn(source, cause) }, { cause });
  }
}

/** Returns the line and column at which the parser stopped. The parser's own message is not used, because it may quote the body. */
function positionIn(source: string, error: unknown): string {
  const at = offsetOf(source, error);
  const before = source.slice(0, at);
  const line = before.split("\n").length;
  const problem =
    at >= source.length ? "it ends" : `there is an unexpected ${JSON.stringify(String.fromCodePoint(source.codePointAt(at) ?? 0))}`;
  return `${problem} at position ${at} (line ${line}, column ${at - before.lastIndexOf("\n")})`;
}

/**
 * The parser omits the position if a token begins with an invalid character. The position is then found by parsing prefixes of the text.
 */
function offsetOf(source: string, error: unknown): number {
  const named = positionNamedBy(error);
  if (named !== undefined) return named;
  if (isJsonPrefix(source)) return source.length;
  let good = 0;
  let bad = source.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isJsonPrefix(source.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

/** Returns whether a text is JSON or a prefix of JSON. */
function isJsonPrefix(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const at = positionNamedBy(error);
    return at === undefined ? /end of JSON input/.test(messageOf(error)) : at >= text.length;
  }
}

function positionNamedBy(error: unknown): number | undefined {
  // Anchored at the end, because the text before it may quote the body.
  const at = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(messageOf(error))?.[1];
  return at === undefined ? undefined : Number(at);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");
