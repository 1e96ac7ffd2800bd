import type { Step } from "../../run/steps/outline.ts";

/** A step in the last test. */
export interface TestedStep {
  step: Step;
  /** The beginning of the result. */
  preview?: string | undefined;
}

/** The steps of a test, by their ids. */
export type TestedSteps = ReadonlyMap<string, TestedStep>;

/** Reads the steps, iterations or branches inside `under`, or of the flow. `onlyFailed`: the first one that failed. */
export type ReadLevel = (under: string | undefined, onlyFailed?: boolean) => Promise<Step[]>;

/** Each level is a request. A test with more shows the states of the outer steps. */
const MOST_READS = 40;
const hasBegun = ({ state }: Step) => state !== "waiting" && state !== "not_run";

/**
 * Reads the states of the steps of a test, also of those inside others. A loop shows the steps of its first failed iteration, or of the last one
 * that has begun.
 */
export async function readTestedSteps(read: ReadLevel): Promise<Map<string, Step>> {
  const found = new Map<string, Step>();
  const lists: (string | undefined)[] = [undefined];
  let reads = 0;
  while (lists.length > 0 && reads < MOST_READS) {
    const under = lists.shift();
    reads += 1;
    for (const step of await read(under)) {
      found.set(step.module, step);
      if (!step.children || !hasBegun(step) || step.skipped || reads >= MOST_READS) continue;
      reads += 1;
      const { state, children, failed_children: failed = 0, path, kind } = step;
      if (kind === "branchone" || kind === "branchall") lists.push(...(await read(path)).filter(hasBegun).map((branch) => branch.path));
      else if (failed > 0) lists.push(...(await read(path, true)).slice(0, 1).map((iteration) => iteration.path));
      else if (state === "succeeded") lists.push(`${path}/${children - 1}`);
      else
        lists.push(
          ...(await read(path))
            .filter(hasBegun)
            .slice(-1)
            .map((iteration) => iteration.path),
        );
    }
  }
  return found;
}
