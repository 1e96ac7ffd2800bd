import { syntaxText as messages } from "../../../messages/editor/syntax.ts";
import type { SyntaxProblem } from "../syntax-problem.ts";

/** A place at which Bash stops reading, because the script breaks its rules. */
export class Broken extends Error {
  readonly problem: SyntaxProblem;

  constructor(problem: SyntaxProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** A script that Bash may read in another way than this reader, which then reports nothing. */
export class Unsure extends Error {}

/** Deeper scripts are not read, because each level takes space of the stack. */
const MOST_LEVELS = 200;

const BLANKS = /(?:[ \t]|\\\n)+/y;
const PLAIN = /[^\s"'`$\\;&|()<>?*+@![=]+/y;
const NAME_BEFORE = /^[A-Za-z_]\w*$/;
const METACHARACTERS = " \t\n;&|()<>";

export interface Word {
  from: number;
  to: number;
  /** The text with its quotes, without the line breaks that a backslash removes. */
  text: string;
}

interface Matching {
  /** The first closing bracket ends the text: brackets of this kind do not nest. */
  isFlat?: boolean;
  /** `$(`, `${` and `$[` begin an expansion. Otherwise, their brackets count like others. */
  hasExpansions?: boolean;
}

/**
 * Reads the words of a script with their quotes and expansions, as `parse_matched_pair` and `read_token_word` of Bash do. `readCommands` reads the
 * commands inside of `$(…)`, up to the closing bracket.
 */
export abstract class WordReader {
  protected readonly text: string;
  protected at = 0;
  private levels = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Reads commands and the bracket that closes them. `opened` is the offset of the bracket that it closes. */
  protected abstract readCommands(opened: number, opening: string): void;

  /** Reads the end of a line, and the here-documents below it. */
  protected abstract endLine(): void;

  protected fail(from: number, to: number, message: string): never {
    throw new Broken({ from, to, message });
  }

  protected failUnclosed(from: number, opening: string): never {
    return this.fail(from, from + opening.length, messages.notClosed(opening));
  }

  protected within<T>(read: () => T): T {
    if (++this.levels > MOST_LEVELS) throw new Unsure();
    const result = read();
    this.levels--;
    return result;
  }

  protected skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isFound = pattern.test(this.text);
    if (isFound) this.at = pattern.lastIndex;
    return isFound;
  }

  protected skipBlanks(): void {
    this.skip(BLANKS);
  }

  protected startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Reads a word, or returns `undefined` at an operator and at the end. `mayAssign`: `name=(…)` and `name[…]` are possible. */
  protected readWord(mayAssign: boolean): Word | undefined {
    const from = this.at;
    while (this.at < this.text.length && this.readPart(from, mayAssign));
    return this.at === from ? undefined : { from, to: this.at, text: this.text.slice(from, this.at).replaceAll("\\\n", "") };
  }

  /** Reads a part of a word. Returns `false` at the end of the word. */
  protected readPart(from: number, mayAssign: boolean): boolean {
    if (this.skip(PLAIN)) return true;
    const char = this.text.charAt(this.at);
    const next = this.text[this.at + 1];
    if ((char === "<" || char === ">") && next === "(") this.readSubstitution(this.at, 2);
    else if (METACHARACTERS.includes(char)) return false;
    else if ("?*+@!".includes(char) && next === "(") {
      // A pattern, if the script has turned such patterns on.
      const opened = this.at;
      this.at += 2;
      this.readMatching(opened, "(", ")", {});
    } else if (char === "=" && next === "(" && this.at > from) {
      this.at += 2;
      this.readList(this.at - 1);
    } else if (char === "[" && mayAssign && NAME_BEFORE.test(this.text.slice(from, Math.min(this.at, from + 300)))) this.readSubscript();
    else this.readQuoted();
    return true;
  }

  /** Reads the index of `name[index]=`. Without a closing bracket, the script is being typed, or the bracket means itself. */
  private readSubscript(): void {
    const opened = this.at++;
    try {
      this.readMatching(opened, "[", "]", { hasExpansions: true });
    } catch (error) {
      if (error instanceof Broken) throw new Unsure();
      throw error;
    }
  }

  /** Reads the values of `name=(…)`. */
  private readList(opened: number): void {
    this.within(() => {
      for (;;) {
        this.skipBlanks();
        const char = this.text[this.at];
        if (char === undefined) this.failUnclosed(opened, "(");
        else if (char === ")") break;
        else if (char === "\n") this.endLine();
        else if (char === "#") this.skipLine();
        else if (char === "[") {
          this.readSubscript();
          this.readWord(false);
        } else if (!this.readWord(false)) {
          const operator = /[;&|<>(]/.exec(char)?.[0] ?? char;
          this.fail(this.at, this.at + 1, operator === "(" ? messages.noBracket : messages.missing(")", operator));
        }
      }
    });
    this.at++;
  }

  /** Skips the rest of the line. */
  protected skipLine(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  /** Reads one character, or one quoted text or expansion. */
  private readQuoted(): void {
    const from = this.at;
    switch (this.text[from]) {
      case "\\":
        this.at = Math.min(from + 2, this.text.length);
        return;
      case "'":
        this.readUntil("'");
        return;
      case "`":
        this.readEscaped("`");
        return;
      case '"':
        this.readText(from);
        return;
      case "$":
        this.readDollar();
        return;
      default:
        this.at++;
    }
  }

  private readUntil(quote: string): void {
    const end = this.text.indexOf(quote, this.at + 1);
    if (end === -1) this.failUnclosed(this.at, quote);
    this.at = end + 1;
  }

  /** Reads a text in which a backslash protects the next character. */
  private readEscaped(quote: string, from = this.at): void {
    this.at++;
    while (this.text[this.at] !== quote) {
      if (this.at >= this.text.length) this.failUnclosed(from, quote);
      this.at += this.text[this.at] === "\\" ? 2 : 1;
    }
    this.at++;
  }

  /** Reads a text in double quotes, where single quotes mean themselves. */
  private readText(from: number): void {
    this.at++;
    this.within(() => {
      for (;;) {
        const char = this.text[this.at];
        if (char === undefined) this.failUnclosed(from, '"');
        else if (char === '"') break;
        else if (char === "\\") this.at += 2;
        else if (char === "`") this.readEscaped("`");
        else if (char === "$" && /[({[]/.test(this.text.charAt(this.at + 1))) this.readDollar();
        // The second dollar of `$$` begins nothing.
        else this.at += this.startsWith("$$") ? 2 : 1;
      }
    });
    this.at++;
  }

  private readDollar(): void {
    const from = this.at;
    switch (this.text[from + 1]) {
      case "(":
        if (this.text[from + 2] === "(") {
          this.at += 2;
          this.readMatching(from, "(", ")", { hasExpansions: true });
        } else this.readSubstitution(from, 2);
        return;
      case "{":
        this.at += 2;
        this.readMatching(from, "{", "}", { isFlat: true, hasExpansions: true });
        return;
      case "[":
        this.at += 2;
        this.readMatching(from, "[", "]", { hasExpansions: true });
        return;
      case "'":
        this.at++;
        this.readEscaped("'", this.at);
        return;
      case '"':
        this.at++;
        this.readText(this.at);
        return;
      default:
        this.at += this.startsWith("$$") ? 2 : 1;
    }
  }

  /** Reads commands in brackets. */
  private readSubstitution(from: number, length: number): void {
    this.at = from + length;
    this.within(() => this.readCommands(from, this.text.slice(from, from + length)));
  }

  /** Reads up to the closing bracket of one that was read before. Words and commands in between are none. */
  protected readMatching(from: number, open: string, close: string, { isFlat = false, hasExpansions = false }: Matching): void {
    this.within(() => {
      for (let count = 1; count > 0; ) {
        const char = this.text[this.at];
        const isExpansion = char === "$" && (hasExpansions ? /[({['"$]/ : /['"$]/).test(this.text.charAt(this.at + 1));
        if (char === undefined) this.failUnclosed(from, this.text.startsWith("$", from) ? `$${open}` : open);
        else if (isExpansion) this.readDollar();
        else if (char === close) {
          count--;
          this.at++;
        } else if (char === open && !isFlat) {
          count++;
          this.at++;
        } else if (char === "$") this.at++;
        else this.readQuoted();
      }
    });
  }
}
