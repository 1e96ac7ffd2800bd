import type { Input, Parser, ParseWrapper, PartialParse, Tree } from "@lezer/common";

/** The size of the parser's stack, summed over the steps of a parse: for any source, and for each of its characters. Ordinary sources need a fifth. */
const WORK_OF_ANY = 2_000_000;
const WORK_OF_CHARACTER = 100;

/**
 * Returns a parser that stops when its work exceeds a multiple of the source's length. With an ambiguous grammar, the parser copies its stack at
 * each step: 16 KB of nested brackets take a second, and 1 MB an hour. The tree contains the source up to the position of the stop.
 */
export function boundWork(parser: { configure(config: { wrap: ParseWrapper }): Parser }): Parser {
  return parser.configure({ wrap: (inner, input) => new BoundedParse(inner, input) });
}

class BoundedParse implements PartialParse {
  private readonly inner: PartialParse;
  private left: number;

  constructor(inner: PartialParse, { length }: Input) {
    this.inner = inner;
    this.left = WORK_OF_ANY + WORK_OF_CHARACTER * length;
  }

  advance(): Tree | null {
    // The types of the package do not show the stacks.
    const { stacks = [] } = this.inner as { stacks?: readonly { stack: readonly number[] }[] };
    for (const { stack } of stacks) this.left -= stack.length;
    if (this.left < 0 && this.inner.stoppedAt === null) this.inner.stopAt(this.inner.parsedPos);
    return this.inner.advance();
  }

  get parsedPos(): number {
    return this.inner.parsedPos;
  }

  get stoppedAt(): number | null {
    return this.inner.stoppedAt;
  }

  stopAt(position: number): void {
    this.inner.stopAt(position);
  }
}
