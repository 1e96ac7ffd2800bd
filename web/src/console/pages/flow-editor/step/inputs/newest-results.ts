import type { OutlineStepJson } from "../../../../../../../contract/routes/jobs/run-details.ts";

type OutlineStep = Pick<OutlineStepJson, "module" | "state">;

/** Begins the keys of the results, which are read again after a test. */
export const resultsKey = (workspace: string) => [workspace, "step results"];

interface Sources {
  /** Reads the steps of the flow's own list in a run. */
  readSteps: (run: string) => Promise<readonly OutlineStep[]>;
  /** Reads the result of a step. Undefined: it has none. */
  readResult: (run: string, id: string) => Promise<{ result: unknown } | undefined>;
  /** Returns the step of the flow's own list that contains a step, or is it. */
  topOf: (id: string) => string;
}

/**
 * Reads the newest result of each step. A test of one step is a run with this step alone, so a step that did not end in the newest run has its
 * result from an older one. `runs`: newest first.
 */
export async function readNewestResults(
  runs: readonly string[],
  ids: readonly string[],
  { readSteps, readResult, topOf }: Sources,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = Object.create(null);
  let missing = ids;
  for (const run of runs) {
    if (missing.length === 0) break;
    const steps = new Map((await readSteps(run)).map(({ module, state }) => [module, state]));
    const isRead = (id: string) => {
      const state = steps.get(id) ?? steps.get(topOf(id));
      return state !== undefined && state !== "waiting" && state !== "not_run";
    };
    const results = await Promise.all(missing.filter(isRead).map(async (id) => ({ id, found: await readResult(run, id) })));
    for (const { id, found: one } of results) if (one) found[id] = one.result;
    missing = missing.filter((id) => !(id in found));
  }
  return { ...found };
}
