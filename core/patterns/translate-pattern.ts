/** A pattern that cannot run in linear time, or that is not a regular expression. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly pattern: string;
  /** Completes the sentence "The pattern …". */
  readonly reason: string;

  constructor(pattern: string, reason: string) {
    super(`The pattern ${reason}.`);
    this.pattern = pattern;
    this.reason = reason;
  }
}

export interface TranslatedPattern {
  /** The same pattern in the syntax of RE2. */
  expression: string;
  /** The number of its characters, classes and groups after its repetitions are written out. */
  size: number;
}

/** Maximum size of a pattern, and of all patterns of a schema together: it bounds the time to compile them. */
export const MAX_PATTERN_SIZE = 10_000;
/** RE2 writes repetitions out, and accepts at most this number. */
const MAX_REPEAT = 1000;

type Range = readonly [from: number, to: number];
const LAST = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** RE2 limits `\s` to ASCII. */
const SPACE: readonly Range[] = [
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
  ] as const),
  ...([
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
];
/** RE2 lets `.` match every character but `\n`. */
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const SETS: Readonly<Record<string, readonly Range[]>> = { d: DIGITS, w: WORD, s: SPACE };
const CONTROLS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b, f: 0x0c, b: 0x08, 0: 0 };

const hex = (code: number) => `\\x{${code.toString(16)}}`;
const renderRanges = (ranges: readonly Range[]) => ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join("");

function complement(ranges: readonly Range[]): Range[] {
  const starts = [0, ...ranges.map(([, to]) => to + 1)];
  const ends = [...ranges.map(([from]) => from - 1), LAST];
  return starts.flatMap((from, index) => (from <= (ends[index] ?? LAST) ? [[from, ends[index] ?? LAST] as const] : []));
}

/**
 * Translates a regular expression of JSON Schema (ECMAScript with the flag `u`) into the syntax of RE2, with the same matches. Throws
 * `PatternError`.
 */
export function translatePattern(pattern: string): TranslatedPattern {
  if (pattern.length > MAX_PATTERN_SIZE) throw tooLarge(pattern);
  try {
    // Checks the syntax only, which takes linear time: this object is never used for matching. The page of a form also needs a valid pattern.
    new RegExp(pattern, "u");
  } catch {
    // The message of the syntax error depends on the engine.
    throw new PatternError(pattern, "is not a valid regular expression");
  }
  return new Translation(pattern).run();
}

const tooLarge = (pattern: string) =>
  new PatternError(pattern, "is too large. Shorten it, or limit the length of a text with minLength and maxLength");

/** Reads a valid pattern from left to right. Groups are on a separate stack, because a recursion could exhaust the call stack. */
class Translation {
  readonly #pattern: string;
  #at = 0;
  #out = "";
  /** The size of the current group without its last part, and that of the last part, which a quantifier multiplies. */
  #size = 0;
  #last = 0;
  readonly #groups: number[] = [];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): TranslatedPattern {
    while (this.#at < this.#pattern.length) this.#translateNext();
    const size = this.#size + this.#last;
    if (size > MAX_PATTERN_SIZE) throw tooLarge(this.#pattern);
    return { expression: this.#out, size };
  }

  #translateNext(): void {
    const character = this.#take();
    if (character === "(") this.#openGroup();
    else if (character === ")") this.#closeGroup();
    else if (character === "|") this.#addPart("|");
    else if (character === "[") this.#addPart(this.#readClass());
    else if (character === ".") this.#addPart(`[^${renderRanges(LINE_ENDS)}]`);
    else if (character === "^") this.#addPart("\\A");
    else if (character === "$") this.#addPart("\\z");
    else if ("*+?{".includes(character)) this.#quantify(character);
    else if (character === "\\") this.#addPart(this.#readEscape());
    else this.#addPart(hex(codeOf(character)));
  }

  /** Returns the next code point. */
  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #takeIf(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Returns the text up to the next `end`, which is read too. */
  #takeUntil(end: string): string {
    const from = this.#at;
    this.#at = this.#pattern.indexOf(end, from) + 1;
    return this.#pattern.slice(from, this.#at - 1);
  }

  #addPart(text: string): void {
    this.#out += text;
    this.#size += this.#last;
    this.#last = 1;
  }

  #openGroup(): void {
    if (this.#takeIf("?=") || this.#takeIf("?!")) {
      this.#refuse("contains a look-ahead, (?=…) or (?!…). Write each condition as a separate pattern in allOf, or in not");
    }
    if (this.#takeIf("?<=") || this.#takeIf("?<!")) {
      this.#refuse("contains a look-behind, (?<=…) or (?<!…). Match the text before it too, or use a second pattern in allOf or not");
    }
    if (this.#takeIf("?<")) this.#takeUntil(">");
    else if (!this.#takeIf("?:") && this.#takeIf("?"))
      this.#refuse("contains flags, such as (?i:…). Write both cases instead, such as [aA]");
    // No caller reads a group, and RE2 is faster without them.
    this.#out += "(?:";
    this.#groups.push(this.#size + this.#last);
    this.#size = 1;
    this.#last = 0;
  }

  #closeGroup(): void {
    this.#out += ")";
    this.#last += this.#size;
    this.#size = this.#groups.pop() ?? 0;
  }

  #quantify(first: string): void {
    let text = first;
    if (first === "{") {
      const [least = "", most = least] = this.#takeUntil("}").split(",");
      const counts = [Number(least), most === "" ? Number(least) : Number(most)];
      if (counts.some((count) => count > MAX_REPEAT)) {
        this.#refuse(`repeats a part more than ${MAX_REPEAT} times. Limit the length of a text with minLength and maxLength`);
      }
      this.#last *= Math.max(1, ...counts) + (most === "" ? 1 : 0);
      text = `{${counts[0]}${least === most ? "" : `,${most === "" ? "" : counts[1]}`}}`;
    }
    this.#out += this.#takeIf("?") ? `${text}?` : text;
  }

  #readClass(): string {
    const negated = this.#takeIf("^");
    let text = "";
    while (!this.#takeIf("]")) {
      const item = this.#readClassItem();
      text += item;
      // A `-` between two characters is a range. At the end of the class and next to a set, it is a literal character.
      if (item.startsWith("\\x") && this.#pattern[this.#at] === "-" && !this.#pattern.startsWith("-]", this.#at)) {
        this.#at += 1;
        text += `-${this.#readClassItem()}`;
      }
    }
    // RE2 has no empty class.
    if (text === "") return negated ? `[${renderRanges([[0, LAST]])}]` : `[^${renderRanges([[0, LAST]])}]`;
    return `[${negated ? "^" : ""}${text}]`;
  }

  #readClassItem(): string {
    const character = this.#take();
    if (character !== "\\") return hex(codeOf(character));
    const escaped = this.#take();
    return readSet(escaped) ?? this.#readProperty(escaped) ?? hex(this.#readCharacter(escaped));
  }

  #readEscape(): string {
    const escaped = this.#take();
    if (escaped === "b" || escaped === "B") return `\\${escaped}`;
    if (escaped === "k" || /[1-9]/.test(escaped)) {
      this.#refuse("contains a back reference, such as \\1 or \\k<name>. Write the repeated part out");
    }
    const set = readSet(escaped);
    return set === undefined ? (this.#readProperty(escaped) ?? hex(this.#readCharacter(escaped))) : `[${set}]`;
  }

  /** Returns the character of an escape. A character that is neither a letter nor a digit is itself. */
  #readCharacter(escaped: string): number {
    if (escaped === "c") return codeOf(this.#take()) % 32;
    if (escaped === "x") return this.#readHex(2);
    if (escaped !== "u") return CONTROLS[escaped] ?? codeOf(escaped);
    if (this.#takeIf("{")) return Number.parseInt(this.#takeUntil("}"), 16);
    const high = this.#readHex(4);
    const low = /^\\u(d[c-f][0-9a-f]{2})/i.exec(this.#pattern.slice(this.#at, this.#at + 6))?.[1];
    if (high < 0xd800 || high > 0xdbff || low === undefined) return high;
    this.#at += 6;
    return codeOf(String.fromCharCode(high, Number.parseInt(low, 16)));
  }

  #readHex(digits: number): number {
    this.#at += digits;
    return Number.parseInt(this.#pattern.slice(this.#at - digits, this.#at), 16);
  }

  /** Returns `\p{…}` and `\P{…}` with the name that RE2 knows: a short category or a script. */
  #readProperty(escaped: string): string | undefined {
    if (escaped !== "p" && escaped !== "P") return undefined;
    this.#takeIf("{");
    const name = this.#takeUntil("}");
    const property = /^(?:(?:General_Category|gc)=)?([A-Z][a-z]?)$/.exec(name)?.[1] ?? /^(?:Script|sc)=([A-Z][a-z]{4,})$/.exec(name)?.[1];
    if (property === undefined) {
      this.#refuse(
        `contains \\${escaped}{${name}}. Use a short category, such as \\p{L}, or a script by its full name, such as \\p{Script=Greek}`,
      );
    }
    return `\\${escaped}{${property}}`;
  }

  #refuse(reason: string): never {
    throw new PatternError(this.#pattern, reason);
  }
}

const codeOf = (character: string) => character.codePointAt(0) ?? 0;

/** Returns the ranges of `\d`, `\w`, `\s` and their complements. */
function readSet(escaped: string): string | undefined {
  const ranges = SETS[escaped.toLowerCase()];
  if (ranges === undefined) return undefined;
  return renderRanges(escaped in SETS ? ranges : complement(ranges));
}
