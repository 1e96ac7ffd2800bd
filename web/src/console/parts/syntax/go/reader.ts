import { type GoToken, GoTokens } from "./tokens.ts";

/** A text with more levels than this is checked to there. */
const MOST_LEVELS = 500;

/** A word that the grammar has no place for. */
export class Unexpected extends Error {
  readonly token: GoToken;
  constructor(token: GoToken) {
    super();
    this.token = token;
  }
}

export class TooDeep extends Error {}

/** The word at which a reader of the grammar is. */
export class GoReader {
  private readonly tokens: GoTokens;
  protected token: GoToken;
  private levels = 0;
  protected nesting = 0;

  constructor(text: string) {
    this.tokens = new GoTokens(text);
    this.token = this.tokens.next();
  }

  protected is(kind: string): boolean {
    return this.token.kind === kind;
  }

  protected next(): void {
    this.token = this.tokens.next();
  }

  protected accept(kind: string): boolean {
    if (this.token.kind !== kind) return false;
    this.next();
    return true;
  }

  protected expect(kind: string): void {
    if (!this.accept(kind)) this.fail();
  }

  protected fail(token = this.token): never {
    throw new Unexpected(token);
  }

  /** A semicolon ends a part, unless the part is the last one. */
  protected endOf(closing: string): void {
    if (!this.accept(";") && !this.is(closing)) this.fail();
  }

  protected within(read: () => void): void {
    if (++this.levels > MOST_LEVELS) throw new TooDeep();
    read();
    this.levels--;
  }

  protected nested(nesting: number, read: () => void): void {
    const outer = this.nesting;
    this.nesting = nesting;
    read();
    this.nesting = outer;
  }
}
