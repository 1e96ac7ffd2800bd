import { syntaxText as messages } from "../../../messages/editor/syntax.ts";
import type { SyntaxProblem } from "../syntax-problem.ts";
import { Unsure, WordReader } from "./words.ts";

export const REDIRECTION = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>|&>>|&>/y;

interface HereDocument {
  delimiter: string;
  isIndented: boolean;
  isQuoted: boolean;
  from: number;
  to: number;
}

/** Reads the ends of lines, redirections, and the here-documents that these begin. */
export abstract class RedirectionReader extends WordReader {
  protected readonly warnings: SyntaxProblem[] = [];
  /** The here-documents that begin below this line. */
  private documents: HereDocument[] = [];
  private substitutions = 0;

  /** Reads commands in `$(…)`, which have their own here-documents. */
  protected readApart(read: () => void): void {
    const { documents } = this;
    this.documents = [];
    this.substitutions++;
    read();
    // Versions of Bash differ in the place of a document that begins in the last line.
    if (this.documents.length > 0) throw new Unsure();
    this.substitutions--;
    this.documents = documents;
  }

  /** Skips spaces, comments, the ends of lines, and the documents below them. */
  protected skipLines(): void {
    for (;;) {
      this.skipBlanks();
      if (this.startsWith("#")) this.skipLine();
      else if (this.startsWith("\n")) this.endLine();
      else return;
    }
  }

  /** Reads a redirection and its target. Returns `false` if there is none. */
  protected readRedirection(): boolean {
    const from = this.at;
    if (!this.skip(REDIRECTION)) return false;
    const operator = this.text.slice(from, this.at);
    this.skipBlanks();
    const word = this.readWord(false);
    if (operator === "<<" || operator === "<<-") {
      if (!word || /[$`]/.test(word.text) || (/["']/.test(word.text) && word.text.includes("\\"))) throw new Unsure();
      const isQuoted = /["'\\]/.test(word.text);
      const delimiter = word.text.replaceAll(/["'\\]/g, "");
      this.documents.push({ delimiter, isIndented: operator === "<<-", isQuoted, from, to: word.to });
    }
    this.skipBlanks();
    return true;
  }

  protected endLine(): void {
    this.at++;
    this.endDocuments();
  }

  protected endDocuments(): void {
    const { documents } = this;
    this.documents = [];
    for (const document of documents) this.readDocument(document);
  }

  private readDocument({ delimiter, isIndented, isQuoted, from, to }: HereDocument): void {
    // A line that ends with a backslash continues, unless the delimiter has quotes.
    let isContinued = false;
    while (this.at < this.text.length) {
      const start = this.at;
      this.skipLine();
      const line = this.text.slice(start, this.at);
      this.at = Math.min(this.at + 1, this.text.length);
      if (!isContinued && (isIndented ? line.replace(/^\t+/, "") : line) === delimiter) return;
      isContinued = !isQuoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line.slice(-100));
    }
    // Bash also ends a document in `$(…)` before the bracket.
    if (this.substitutions > 0) throw new Unsure();
    this.warnings.push({ from, to, message: messages.noEndOfDocument(delimiter), isWarning: true });
  }
}
