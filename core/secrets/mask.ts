import { limits } from "../../contract/limits.ts";
import { computeBorders, extendMatch } from "../patterns/borders.ts";
import { locateStream } from "./locate-stream.ts";

/** Replaces each character, so that a masked text keeps its length and offsets into the output remain valid. */
const STAR = "*";
/** A shorter part of a secret at the border of a chunk remains visible, because masking it would hide the ends of ordinary lines. */
const PIECE_CHARS = 3;
/** The same for a secret as long as a job's token, which contains many ordinary words by chance. */
const LONG_SECRET_CHARS = 160;
const LONG_PIECE_CHARS = 12;
const pieceChars = (form: string) => (form.length < LONG_SECRET_CHARS ? PIECE_CHARS : LONG_PIECE_CHARS);

/** Hides secrets in the output and the result of a job. */
export interface Masker {
  /** A complete text: masks every occurrence in every form. */
  text(text: string): string;
  /** A chunk of a log: also masks parts of secrets at its borders, and secrets that several lines of its stream contain together. */
  chunk(text: string): string;
  /** JSON: masks strings and keys at every depth, and numbers that are a secret. */
  value(value: unknown): unknown;
}

/** Creates a masker. Returns `undefined` if no secret is long enough to be masked. */
export function createMasker(secrets: Iterable<string>): Masker | undefined {
  const forms = [...new Set([...secrets].flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const tables = new Map<string, Int32Array>();
  const table = (form: string) => {
    const formBorders = tables.get(form) ?? computeBorders(form);
    tables.set(form, formBorders);
    return formBorders;
  };
  const occurrences = (whole: string) => forms.flatMap((form) => findAll(whole, form, () => table(form)));
  const text = (whole: string) => starred(whole, occurrences(whole));
  /** Also masks parts of secrets at the borders of a text that continues. */
  const occurrencesInPart = (part: string) => {
    const ranges = occurrences(part);
    for (const form of forms) {
      const piece = pieceChars(form);
      const start = part.slice(0, form.length);
      const startBorders = computeBorders(start);
      const isPiece = part.length >= piece && part.length < form.length && findAll(form, part, () => startBorders).length > 0;
      if (isPiece) ranges.push([0, part.length]);
      const ending = overlap(part, form, table(form));
      if (ending >= piece) ranges.push([part.length - ending, part.length]);
      const beginning = overlap(form, start, startBorders);
      if (beginning >= piece && beginning < form.length) ranges.push([0, beginning]);
    }
    return ranges;
  };
  // A generator yields a secret in pieces, each of which is one line of the log.
  const occurrencesInStream = (part: string) =>
    locateStream(part).flatMap(({ text: stream, places }) => occurrencesInPart(stream).flatMap(([from, to]) => places.slice(from, to)));
  const chunk = (part: string) => starred(part, [...occurrencesInPart(part), ...occurrencesInStream(part)]);
  const value = (json: unknown): unknown => {
    if (typeof json === "string") return text(json);
    if (typeof json === "number" || typeof json === "bigint") {
      const shown = text(String(json));
      return shown === String(json) ? json : shown;
    }
    if (Array.isArray(json)) return json.map(value);
    if (typeof json !== "object" || json === null) return json;
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(json)) {
      Object.defineProperty(copy, text(key), { value: value(item), enumerable: true, writable: true, configurable: true });
    }
    return copy;
  };
  return { text, chunk, value };
}

/** The forms of a secret in text: plain, each line, in JSON, in a URL, and in base64 at each of the three alignments. */
function formsOf(secret: string): string[] {
  if (secret.length < limits.maskedChars) return [];
  const lines = secret.split(/\r?\n/);
  const plain = lines.length > 1 ? [secret, ...lines.map((line) => line.trim())] : [secret];
  const forms = plain.flatMap((text) => [text, ...inJson(text), ...inUrl(text)]);
  return [...forms, ...inBase64(secret)].filter((form) => form.length >= limits.maskedChars);
}

/** JSON text, also with all characters except ASCII escaped, or with slashes escaped. */
function inJson(text: string): string[] {
  const usual = JSON.stringify(text).slice(1, -1);
  const ascii = usual.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Encoded twice, as in an error message that is itself JSON.
  return [usual, ascii, usual.replaceAll("/", "\\/"), JSON.stringify(usual).slice(1, -1)];
}

function inUrl(text: string): string[] {
  // A lone surrogate has no UTF-8 form, so it has no URL form.
  const component = encodeURIComponent(text.toWellFormed());
  const form = new URLSearchParams({ "": text }).toString().slice(1);
  // Some encoders do not escape slashes, or escape more characters than necessary.
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [component, form, strict, component.replaceAll("%2F", "/"), strict.replaceAll("%2F", "/")];
  return [...all, ...all.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * The characters that depend only on the secret if its bytes follow 0, 1 or 2 other bytes. The first and last characters are shared with
 * the neighbours.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    const inner = whole.toString("base64").slice(first, last);
    forms.push(inner, inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

type Range = [from: number, to: number];

/** The native search is fast, but takes quadratic time for repetitive texts, so it searches only the beginning of a pattern. */
const NATIVE_CHARS = 64;

/** Returns the occurrences of a pattern, in time linear in the text (Knuth, Morris and Pratt). Overlapping occurrences are one range. */
function findAll(text: string, pattern: string, bordersOf: () => Int32Array): Range[] {
  const ranges: Range[] = [];
  const beginning = pattern.slice(0, NATIVE_CHARS);
  const first = text.indexOf(beginning);
  if (first < 0) return ranges;
  const table = bordersOf();
  let last: Range | undefined;
  let length = 0;
  for (let at = first; at < text.length; at += 1) {
    length = extendMatch(pattern, table, length, text[at]);
    if (length === 0) {
      const next = text.indexOf(beginning, at + 1);
      if (next < 0) break;
      at = next - 1;
    }
    if (length < pattern.length) continue;
    const from = at + 1 - length;
    if (last && from <= last[1]) last[1] = at + 1;
    else {
      last = [from, at + 1];
      ranges.push(last);
    }
  }
  return ranges;
}

function starred(text: string, ranges: Range[]): string {
  if (ranges.length === 0) return text;
  let masked = "";
  let done = 0;
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    if (to <= done) continue;
    masked += text.slice(done, Math.max(from, done)) + STAR.repeat(to - Math.max(from, done));
    done = to;
  }
  return masked + text.slice(done);
}

/** Returns the number of characters at the end of `text` that are a prefix of `pattern`. */
function overlap(text: string, pattern: string, table: Int32Array): number {
  let length = 0;
  for (let at = Math.max(0, text.length - pattern.length); at < text.length; at += 1) {
    length = extendMatch(pattern, table, length, text[at]);
  }
  return length;
}
