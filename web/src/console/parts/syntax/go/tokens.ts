/** A word of Go. `kind` is `name`, `literal`, `end`, or the keyword or operator itself. */
export interface GoToken {
  kind: string;
  from: number;
  to: number;
}

const KEYWORDS = new Set(
  (
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return " +
    "select struct switch type var"
  ).split(" "),
);
/** A line that ends with one of these ends a statement. */
const ENDING = new Set(["name", "literal", "break", "continue", "fallthrough", "return", "++", "--", ")", "]", "}"]);

const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const LITERAL = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+'|0[xX](?:[\da-fA-F_.]|[pP][+-]?)*i?|\.?\d(?:[eE][+-]?|[\w.])*/y;
const OPERATOR = /<<=|>>=|&\^=|\.\.\.|&&|\|\||<-|\+\+|--|==|!=|<=|>=|:=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|&\^|[-+*/%&|^<>=!()[\]{},;.:~]/y;

/** Reads the words of a text without errors in its words. Semicolons that Go adds at the ends of lines are as long as nothing. */
export class GoTokens {
  private readonly text: string;
  private at: number;
  private last = "";

  constructor(text: string) {
    this.text = text;
    // A mark of the byte order may begin a file.
    this.at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  next(): GoToken {
    const from = this.at;
    const space = this.match(SPACE_OR_COMMENT) ?? "";
    const isEnd = this.at >= this.text.length;
    if (ENDING.has(this.last) && (isEnd || space.includes("\n"))) return this.toToken(";", from, from);
    const start = this.at;
    if (isEnd) return this.toToken("end", start, start);
    const name = this.match(NAME);
    if (name !== undefined) return this.toToken(KEYWORDS.has(name) ? name : "name", start, this.at);
    if (this.match(LITERAL) !== undefined) return this.toToken("literal", start, this.at);
    const operator = this.match(OPERATOR);
    // Other characters are errors in the words.
    if (operator === undefined) this.at = this.text.length;
    return this.toToken(operator ?? "end", start, this.at);
  }

  private toToken(kind: string, from: number, to: number): GoToken {
    this.last = kind;
    return { kind, from, to };
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}
