import { syntaxText as messages } from "../../../messages/editor/syntax.ts";
import { lineOf, type SyntaxProblem } from "../syntax-problem.ts";
import { REDIRECTION, RedirectionReader } from "./redirections.ts";
import { Broken, Unsure, type Word } from "./words.ts";

/** The words that end a part of a compound command, where a command can begin. */
const CLOSING = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"]);
const COMPOUND = new Set(["if", "while", "until", "for", "select", "case", "{", "[["]);
/** Commands whose arguments may be assignments. */
const DECLARING = new Set(["declare", "typeset", "local", "export", "readonly", "eval"]);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\+?=|\[)/;
const OF_COMPOUND = /(?:\d+|\{[A-Za-z_]\w*\})?(?=[<>]|&>)/y;
const CLOSING_OPERATOR = /\)|;;&|;;|;&/y;
const TIME_OPTIONS = /[ \t]+(?:-p|--)(?=[ \t\n])/y;
const MOST_ATTEMPTS = 30;
const CASE_ENDS = [";;", ";&", ";;&"];

/** The beginning of a compound command. */
interface Opened {
  from: number;
  word: string;
}

/**
 * Finds the first place at which Bash stops reading: a quote, an expansion or a compound command without an end, or a word that closes none, and the
 * here-documents without an end. It follows the grammar of Bash 5.2, with every pattern turned on. It reports nothing about a script that it may misread.
 */
export function findBashErrors(text: string): SyntaxProblem[] {
  // Aliases can replace any word.
  return text.includes("expand_aliases") ? [] : new BashReader(text).read();
}

class BashReader extends RedirectionReader {
  private attempts = 0;

  read(): SyntaxProblem[] {
    try {
      this.readSequence([]);
      this.endDocuments();
    } catch (error) {
      if (error instanceof Unsure) return [];
      if (!(error instanceof Broken)) throw error;
      return [...this.warnings, error.problem];
    }
    return this.warnings;
  }

  protected readCommands(from: number, word: string): void {
    this.readApart(() => this.readSequence([")"], { from, word }));
  }

  /** Reads commands up to one of some words or operators, which it reads and returns. Without any, it reads to the end. */
  private readSequence(closers: readonly string[], opened?: Opened): string {
    return this.within(() => {
      for (;;) {
        this.skipLines();
        const from = this.at;
        const char = this.text[from];
        if (char === undefined) {
          if (opened) this.failUnclosed(opened.from, opened.word);
          return "";
        }
        const closer = this.skip(CLOSING_OPERATOR) ? this.text.slice(from, this.at) : this.readCommand();
        if (closer === undefined) continue;
        if (closers.includes(closer)) return closer;
        this.failAt(from, closer, closers, opened);
      }
    });
  }

  private failAt(from: number, word: string, closers: readonly string[], opened: Opened | undefined): never {
    const to = from + word.length;
    if (opened === undefined) this.fail(from, to, word.startsWith(";") ? messages.caseOnly(word) : messages.closesNothing(word));
    const [first = ""] = closers;
    const isLater = first === "then" ? /^(fi|else|elif)$/.test(word) : first === "do" && word === "done";
    this.fail(from, to, isLater ? messages.missing(first, word) : messages.closesOther(word, opened.word, lineOf(this.text, opened.from)));
  }

  /** Reads one command, or its beginning. Returns a word that closes a compound command. */
  private readCommand(): string | undefined {
    const from = this.at;
    if (this.startsWith("(")) this.readBrackets(from);
    else {
      const word = this.readWord(true);
      if (!word) return this.readOperator();
      if (CLOSING.has(word.text)) return word.text;
      if (!this.readKeyword(word)) {
        this.readArguments(word);
        return undefined;
      }
    }
    while (this.skip(OF_COMPOUND)) this.readRedirection();
    return undefined;
  }

  /** Reads an operator between commands, or a redirection before one. */
  private readOperator(): undefined {
    REDIRECTION.lastIndex = this.at;
    if (REDIRECTION.test(this.text)) this.readArguments();
    else this.at++;
  }

  /** Reads a calculation, or commands in brackets. */
  private readBrackets(from: number): void {
    if (this.startsWith("((")) {
      // Each attempt reads the text again.
      if (++this.attempts > MOST_ATTEMPTS) throw new Unsure();
      this.at += 2;
      this.readMatching(from, "(", ")", { hasExpansions: true });
      if (this.startsWith(")")) {
        this.at++;
        return;
      }
    }
    this.at = from + 1;
    this.readSequence([")"], { from, word: "(" });
  }

  /** Reads a compound command. Returns `false` if the word is the name of a program. */
  private readKeyword({ from, text: word }: Word): boolean {
    const opened = { from, word };
    switch (word) {
      case "if":
        this.readIf(opened);
        return true;
      case "while":
      case "until":
        this.readSequence(["do"], opened);
        this.readSequence(["done"], opened);
        return true;
      case "for":
      case "select":
        this.readFor(opened);
        return true;
      case "case":
        this.readCase(opened);
        return true;
      case "{":
        this.readSequence(["}"], opened);
        return true;
      case "[[":
        this.readCondition(opened);
        return true;
      case "function":
        this.readFunction();
        return true;
      case "time":
        while (this.skip(TIME_OPTIONS));
        return true;
      case "coproc":
        this.readCoprocess();
        return true;
      default:
        return word === "!";
    }
  }

  private readIf(opened: Opened): void {
    this.readSequence(["then"], opened);
    let closer = this.readSequence(["elif", "else", "fi"], opened);
    while (closer === "elif") {
      this.readSequence(["then"], opened);
      closer = this.readSequence(["elif", "else", "fi"], opened);
    }
    if (closer === "else") this.readSequence(["fi"], opened);
  }

  private readFor(opened: Opened): void {
    this.skipBlanks();
    if (this.startsWith("((")) {
      const from = this.at;
      this.at += 2;
      this.readMatching(from, "(", ")", { hasExpansions: true });
      if (!this.startsWith(")")) throw new Unsure();
      this.at++;
      this.skipBlanks();
      if (this.startsWith(";")) this.at++;
    } else this.readNames();
    this.skipLines();
    const from = this.at;
    const word = this.readWord(false)?.text;
    if (word === "do") this.readSequence(["done"], opened);
    else if (word === "{") this.readSequence(["}"], opened);
    else if (from === this.text.length) this.failUnclosed(opened.from, opened.word);
    else this.failMissing("do", from, word);
  }

  /** Reads the name of a loop and its values. */
  private readNames(): void {
    if (!this.readWord(false)) throw new Unsure();
    this.skipBlanks();
    if (this.startsWith(";")) {
      this.at++;
      return;
    }
    this.skipLines();
    const from = this.at;
    if (this.readWord(false)?.text !== "in") {
      this.at = from;
      return;
    }
    do this.skipBlanks();
    while (!this.startsWith("#") && this.readWord(false));
    if (this.startsWith(";")) this.at++;
  }

  private readCase(opened: Opened): void {
    this.skipBlanks();
    if (!this.readWord(false)) throw new Unsure();
    this.skipLines();
    if (this.at === this.text.length) this.failUnclosed(opened.from, opened.word);
    if (this.readWord(false)?.text !== "in") throw new Unsure();
    let closer = "";
    while (closer !== "esac") {
      this.skipLines();
      if (this.at === this.text.length) this.failUnclosed(opened.from, opened.word);
      const from = this.at;
      if (this.startsWith("(")) this.at++;
      else if (this.readWord(false)?.text === "esac") return;
      else this.at = from;
      this.readPatterns(opened);
      closer = this.readSequence([...CASE_ENDS, "esac"], opened);
    }
  }

  private readPatterns(opened: Opened): void {
    for (;;) {
      this.skipBlanks();
      if (!this.readWord(false)) throw new Unsure();
      this.skipBlanks();
      const char = this.text[this.at];
      if (char === undefined) this.failUnclosed(opened.from, opened.word);
      if (char !== "|" && char !== ")") this.failMissing(")", this.at, this.readWord(false)?.text);
      this.at++;
      if (char === ")") return;
    }
  }

  private failMissing(missing: string, from: number, word = this.text.charAt(from)): never {
    if (word === "\n") this.fail(from - 1, from, messages.missing(missing, messages.lineEnd));
    this.fail(from, from + word.length, messages.missing(missing, word.slice(0, 40)));
  }

  /** Reads a condition up to `]]`. */
  private readCondition(opened: Opened): void {
    for (;;) {
      this.skipBlanks();
      // Bash reads these as comments at some places only.
      if (this.startsWith("#")) throw new Unsure();
      if (this.startsWith("\n")) this.skipLines();
      const char = this.text[this.at];
      if (char === undefined) this.failUnclosed(opened.from, opened.word);
      if (char === ";" || (char === "&" && !this.startsWith("&&"))) this.failMissing("]]", this.at);
      const word = char === "(" ? undefined : this.readWord(false);
      if (word?.text === "]]") return;
      if (word?.text === "=~") this.readRegularExpression();
      else if (!word) this.at += char === "&" ? 2 : 1;
    }
  }

  /** Reads a regular expression, in which brackets and `|` need no quotes. */
  private readRegularExpression(): void {
    this.skipBlanks();
    const from = this.at;
    for (;;) {
      const char = this.text[this.at];
      if (char === "(") {
        this.at++;
        this.readMatching(this.at - 1, "(", ")", {});
      } else if (char === "|") this.at++;
      else if (char === undefined || !this.readPart(from, false)) return;
    }
  }

  /** Reads `function` and a name. The command behind it follows. */
  private readFunction(): void {
    this.skipBlanks();
    if (!this.readWord(false)) throw new Unsure();
    this.skipBlanks();
    if (this.startsWith("(") && !this.skipEmptyBrackets()) throw new Unsure();
    this.skipLines();
  }

  private skipEmptyBrackets(): boolean {
    this.at++;
    this.skipBlanks();
    const isEmpty = this.startsWith(")");
    if (isEmpty) this.at++;
    return isEmpty;
  }

  /** Reads `coproc`, and a name if a compound command follows. */
  private readCoprocess(): void {
    this.skipBlanks();
    const from = this.at;
    const word = this.readWord(true);
    if (!word || COMPOUND.has(word.text)) {
      this.at = from;
      return;
    }
    this.skipBlanks();
    const next = this.at;
    const isName = this.startsWith("(") || COMPOUND.has(this.readWord(false)?.text ?? "");
    this.at = next;
    if (!isName) this.readArguments(word);
  }

  /** Reads the rest of a simple command, or the beginning of a function. */
  private readArguments(first?: Word): void {
    let mayAssign = first === undefined || ASSIGNMENT.test(first.text) || DECLARING.has(first.text);
    let words = first ? 1 : 0;
    for (;;) {
      this.skipBlanks();
      const char = this.text[this.at];
      if (char === undefined || char === "\n" || char === ";" || char === "|" || char === ")") return;
      if (char === "#") this.skipLine();
      else if (char === "(") {
        const from = this.at;
        if (words !== 1 || !this.skipEmptyBrackets()) this.fail(from, from + 1, messages.noBracket);
        this.skipLines();
        return;
      } else {
        const word = this.readWord(mayAssign);
        if (word) {
          words++;
          mayAssign &&= DECLARING.has(first?.text ?? "") || ASSIGNMENT.test(word.text);
        } else if (!this.readRedirection()) return;
      }
    }
  }
}
