import { syntaxText as messages } from "../../../messages/editor/syntax.ts";
import { lineOf, type SyntaxProblem } from "../syntax-problem.ts";
import { findGoGrammarError } from "./grammar.ts";

const MOST_PROBLEMS = 20;

const SPACE_OR_COMMENT = /(?:[ \t\r\n]+|\/\/[^\n]*)+/y;
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
/** Everything else that a program has outside of texts, comments and brackets: numbers and operators. */
const PLAIN = /(?:[\p{Nd}+\-*%&|^<>=!:;,.~]|\/(?![/*]))+/uy;
const ESCAPE = /\\(?:[abfnrtv\\]|[0-7]{3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/y;
const RUNE = /'(?:[^'\\\n]|\\(?:[abfnrtv\\']|[0-7]{3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))'/uy;
/** `func` and a name: only the outermost level of a file has such functions. */
const NAMED_FUNCTION = /func[ \t]+[\p{L}_]/uy;

const closingOf: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * Finds the places that no Go compiler accepts: texts, characters and comments without an end, wrong escapes and characters, and brackets that do not match.
 * They are found in the words of the text alone, so that a part that is being typed does not hide the rest. Without them, the first word that the grammar has no
 * place for is found.
 */
export function findGoErrors(text: string): SyntaxProblem[] {
  const found = new GoWords(text).read();
  if (found.length > 0) return found;
  const unexpected = findGoGrammarError(text);
  return unexpected ? [unexpected] : [];
}

class GoWords {
  private readonly text: string;
  private readonly found: SyntaxProblem[] = [];
  /** The offsets of the open brackets. */
  private open: number[] = [];
  private at = 0;
  /** After a bracket that does not match, it is unknown which ones do. */
  private hasMismatch = false;

  constructor(text: string) {
    this.text = text;
  }

  read(): SyntaxProblem[] {
    // A mark of the byte order may begin a file.
    if (this.text.startsWith("\uFEFF")) this.at = 1;
    while (this.at < this.text.length && this.found.length < MOST_PROBLEMS) this.readToken();
    if (this.at >= this.text.length) this.reportUnclosed();
    return this.found.sort((a, b) => a.from - b.from);
  }

  private readToken(): void {
    if (this.skip(SPACE_OR_COMMENT)) return;
    const char = this.text.charAt(this.at);
    if (char === "f" && matchAt(NAMED_FUNCTION, this.text, this.at)) this.reportUnclosed();
    if (this.text.startsWith("/*", this.at)) this.skipTo("*/", 2);
    else if (char === "`") this.skipTo("`", 1);
    else if (char === '"') this.readText();
    else if (char === "'") this.readRune();
    else if (char in closingOf) this.open.push(this.at++);
    else if (char === ")" || char === "]" || char === "}") this.close(char);
    else if (!this.skip(NAME) && !this.skip(PLAIN)) {
      const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
      this.report(this.at, this.at + character.length, messages.invalidCharacter(character));
      this.at += character.length;
    }
  }

  private skip(pattern: RegExp): boolean {
    const found = matchAt(pattern, this.text, this.at);
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  /** Skips a comment or a raw text. */
  private skipTo(end: string, length: number): void {
    const found = this.text.indexOf(end, this.at + length);
    if (found === -1) {
      this.report(this.at, this.at + length, messages.notClosed(this.text.slice(this.at, this.at + length)));
      // The rest is a part of it, and so are the brackets that close others.
      this.hasMismatch = true;
      this.at = this.text.length;
    } else this.at = found + end.length;
  }

  private readText(): void {
    const from = this.at++;
    for (; ; this.at++) {
      const char = this.text[this.at];
      if (char === '"') break;
      if (char === undefined || char === "\n") {
        this.report(from, this.at, messages.notClosed('"'));
        return;
      }
      if (char !== "\\") continue;
      const sequence = this.text[this.at + 1] === '"' ? '\\"' : matchAt(ESCAPE, this.text, this.at);
      if (sequence === undefined && this.text[this.at + 1] !== "\n") {
        this.report(this.at, this.at + 2, messages.escape(this.text.slice(this.at, this.at + 2)));
      }
      this.at += (sequence?.length ?? 1) - 1;
    }
    this.at++;
  }

  private readRune(): void {
    if (this.skip(RUNE)) return;
    const from = this.at++;
    for (; this.text[this.at] !== "'"; this.at++) {
      const char = this.text[this.at];
      if (char === undefined || char === "\n") {
        this.report(from, this.at, messages.notClosed("'"));
        return;
      }
      if (char === "\\" && this.text[this.at + 1] !== "\n") this.at++;
    }
    this.report(from, ++this.at, messages.rune);
  }

  private close(char: string): void {
    const from = this.at++;
    const opened = this.open.pop();
    const isOf = (bracket: number) => closingOf[this.text.charAt(bracket)] === char;
    if (this.hasMismatch || (opened !== undefined && isOf(opened))) return;
    const outer = this.open.findLastIndex(isOf);
    if (opened === undefined) this.report(from, this.at, messages.closesNothing(char));
    else if (outer !== -1) {
      // The ones inside of the outer bracket have no end.
      this.report(opened, opened + 1, messages.notClosed(this.text.charAt(opened)));
      this.open.length = outer;
      return;
    } else this.report(from, this.at, messages.closesOther(char, this.text.charAt(opened), lineOf(this.text, opened)));
    this.hasMismatch = true;
  }

  /** Reports the bracket that was opened last, at the end of the text or of what it can contain. */
  private reportUnclosed(): void {
    const last = this.open.at(-1);
    this.open = [];
    if (last !== undefined && !this.hasMismatch) this.report(last, last + 1, messages.notClosed(this.text.charAt(last)));
    this.hasMismatch = false;
  }

  private report(from: number, to: number, message: string): void {
    this.found.push({ from, to, message });
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
