import type { Step } from "../../run/steps/outline.ts";

/** A step in the last test. */
export interface TestedStep {
  step: Step;
  /** The beginning of the result. */
  preview?: string | undefined;
  /** The number of the iteration, from 0, whose steps a loop shows. */
  iteration?: number | undefined;
}

/** The numbers of iterations, from 0, that a person chose, by the ids of their loops. */
export type ChosenIterations = ReadonlyMap<string, number>;

/** The steps of a test, by their ids. */
export type TestedSteps = ReadonlyMap<string, TestedStep>;

/** Reads the steps, iterations or branches inside `under`, or of the flow. `onlyFailed`: the first one that failed. */
export type ReadLevel = (under: string | undefined, onlyFailed?: boolean) => Promise<Step[]>;

/** Each level is a request. A test with more shows the states of the outer steps. */
const MOST_READS = 40;
const hasBegun = ({ state }: Step) => state !== "waiting" && state !== "not_run";

/**
 * Reads the states of the steps of a test, also of those inside others. A loop shows the steps of the chosen iteration. Without a choice, they are
 * those of its first failed iteration, or of the last one that has begun.
 */
export async function readTestedSteps(read: ReadLevel, chosen: ChosenIterations = new Map()): Promise<Map<string, TestedStep>> {
  const found = new Map<string, TestedStep>();
  const lists: (string | undefined)[] = [undefined];
  let reads = 0;
  while (lists.length > 0 && reads < MOST_READS) {
    const under = lists.shift();
    reads += 1;
    for (const step of await read(under)) {
      found.set(step.module, { step });
      const { path, kind, children } = step;
      if (!children || !hasBegun(step) || step.skipped || reads >= MOST_READS) continue;
      if (kind === "branchone" || kind === "branchall") {
        reads += 1;
        lists.push(...(await read(path)).filter(hasBegun).map((branch) => branch.path));
        continue;
      }
      const chosenOne = chosen.get(step.module);
      const isChosen = chosenOne !== undefined && chosenOne < children;
      if (!isChosen) reads += 1;
      const iteration = isChosen ? `${path}/${chosenOne}` : await findIteration(step, children, read);
      if (iteration === undefined) continue;
      found.set(step.module, { step, iteration: Number(iteration.slice(path.length + 1)) });
      lists.push(iteration);
    }
  }
  return found;
}

/** Returns the path of the iteration that a loop shows without a choice. */
async function findIteration(
  { path, state, failed_children: failed = 0 }: Step,
  children: number,
  read: ReadLevel,
): Promise<string | undefined> {
  if (failed > 0) return (await read(path, true))[0]?.path;
  if (state === "succeeded") return `${path}/${children - 1}`;
  return (await read(path)).filter(hasBegun).at(-1)?.path;
}

/** Returns the times within which the jobs of steps were created. Undefined: there are none. */
export function spanOf(steps: readonly TestedStep[]): { created_after: string; created_before: string } | undefined {
  const times = steps.flatMap(({ step }) => (step.queued_at === undefined ? [] : [Date.parse(step.queued_at)]));
  if (times.length === 0) return undefined;
  const at = (ms: number) => new Date(ms).toISOString();
  return { created_after: at(Math.min(...times) - 1), created_before: at(Math.max(...times) + 1) };
}

/** Returns the iterations whose steps are shown, by the ids of their loops. */
export const shownIterations = (tested: TestedSteps): ChosenIterations =>
  new Map([...tested].flatMap(([id, { iteration }]) => (iteration === undefined ? [] : [[id, iteration]])));
