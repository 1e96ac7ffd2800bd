import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRandomFlows } from "../../../test/support/flows/random-runs.ts";
import { failureRows } from "../../../test/support/flows/semantics-failure-rows.ts";
import { branchRows, loopRows, type Row, resultRows, stopRows } from "../../../test/support/flows/semantics-rows.ts";
import { startWitness, type Witness } from "../../../test/support/jobs/witness.ts";
import { runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { newScriptWorld } from "../../../test/support/use-cases/world-scripts.ts";
import { loadJobJson } from "../../jobs/read/read.ts";

let world: World;
let witness: Witness;
beforeAll(async () => {
  [world, witness] = await Promise.all([newScriptWorld(), startWitness()]);
});
afterAll(() => witness?.close());

/** Runs a flow to its end, and returns the API form of its job. */
async function runFlow(value: object, args: object): Promise<Record<string, unknown>> {
  const { run } = await runFlowInCloud(world, value, args);
  const job = await world.deps.jobs.get(run);
  return { ...(await loadJobJson(world.deps, job ?? expect.fail("The job is gone."), { result: true })) };
}

const ok = { success: true, is_skipped: false };

function rows(name: string, table: Row[]): void {
  const expectRow = async ([, value, args, result, job = ok]: Row) => {
    const found = await runFlow(value, args);
    expect(found["result"]).toEqual(result);
    expect(found).toMatchObject(job);
  };
  describe(name, () => {
    it.each(table)("%s", (...row) => expectRow(row));
  });
  const oneAfterTheOther = table.filter(([, value]) => !JSON.stringify(value).includes('"parallel":true'));
  describe(`${name}, in one segment`, () => {
    it.each(oneAfterTheOther)("%s", (...row) => {
      const [title, value, ...rest] = row as Row;
      const whole = Array.isArray(value) ? { modules: value } : value;
      return expectRow([title, { ...whole, same_worker: true }, ...rest]);
    });
  });
}

rows("results and names", resultRows);
rows("loops", loopRows);
rows("branches", branchRows);
rows("skip, stop, mock, sleep", stopRows);
rows("retry, failure module, continue on error", failureRows);

describe("random flows", () => {
  it("a random flow has the result, the end and the calls of the independent interpreter", () =>
    expectRandomFlows({ count: 40, atOnce: 1, witness, run: runFlow }));
});
