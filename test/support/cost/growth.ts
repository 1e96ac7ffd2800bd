import { isSvcError } from "../../../contract/errors.ts";

/** A parser with inputs of any size that could make it slow. */
export interface CostCase {
  /** The parser and the kind of its input. */
  what: string;
  /** The size of the largest input. */
  most: number;
  build: (size: number) => unknown;
  parse: (input: never) => unknown;
}

/** Returns the cases of one parser, which receives each input. */
export function feed<Input>(
  parser: string,
  most: number,
  parse: (input: Input) => unknown,
  inputs: Readonly<Record<string, (size: number) => Input>>,
): CostCase[] {
  return Object.entries(inputs).map(([what, build]) => ({ what: `${parser}, ${what}`, most, build, parse }));
}

const FIRST_SIZE = 256;
const SIZE_STEP = 4;
/** Four doublings. */
const GROWTH = 16;
/** Below this time of the processor, a parser is fast enough for any growth, and a measurement is not exact. */
const LEAST_MS = 60;
/** Work of n log n may also grow by this factor, because large inputs use slower memory and collect garbage. */
const MARGIN = 4;
const ATTEMPTS = 3;
const LEAST_SMALL_MS = 30;
const RUNS_AT_ONCE = 5;
const MOST_RUNS = 2000;

/**
 * Returns a sentence if the work of a parser grows faster than n log n over four doublings of its input. The time is that of the processor in this thread,
 * so that other processes do not count. A parser that is slow once may have been disturbed, so it is measured again.
 */
export async function findGrowth(one: CostCase): Promise<string | undefined> {
  for (let size = FIRST_SIZE; size <= one.most; size *= SIZE_STEP) {
    const ms = await measureMs(one, size);
    if (ms >= LEAST_MS) return describeGrowth(one, size, ms);
  }
  return undefined;
}

async function describeGrowth(one: CostCase, size: number, firstMs: number): Promise<string | undefined> {
  const most = MARGIN * GROWTH * (Math.log2(size) / Math.log2(size / GROWTH));
  let largeMs = firstMs;
  let smallMs = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) largeMs = await measureMs(one, size);
    smallMs = await measureSmallMs(one, size / GROWTH);
    if (largeMs < LEAST_MS || largeMs / smallMs <= most) return undefined;
  }
  return `${one.what}: ${smallMs.toFixed(2)} ms for a size of ${size / GROWTH}, but ${largeMs.toFixed(0)} ms for ${size}`;
}

/** Short runs are repeated, because the system counts the time of the processor in steps of milliseconds. */
async function measureSmallMs(one: CostCase, size: number): Promise<number> {
  const input = one.build(size) as never;
  let runs = 0;
  let totalMs = 0;
  while (runs === 0 || (totalMs < LEAST_SMALL_MS && runs < MOST_RUNS)) {
    totalMs += await measureRunsMs(one, input, RUNS_AT_ONCE);
    runs += RUNS_AT_ONCE;
  }
  return totalMs / runs;
}

const measureMs = ({ build, parse }: CostCase, size: number) => measureRunsMs({ parse }, build(size) as never, 1);

async function measureRunsMs({ parse }: Pick<CostCase, "parse">, input: never, runs: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let run = 0; run < runs; run += 1) {
    try {
      await parse(input);
    } catch (error) {
      // A refusal costs its time as well. An overflow of the stack or of the memory is no refusal.
      if (!isSvcError(error) && error instanceof RangeError) throw error;
    }
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
