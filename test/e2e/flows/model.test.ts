import { afterAll, beforeAll, describe, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { expectRandomFlows } from "../../support/flows/random-runs.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";

let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
});
afterAll(() => witness?.close());

describe("random flows", () => {
  /** Many more of them run in services/flows/runtime/semantics.usecase.test.ts. */
  it("a random flow has the result, the end and the calls of the independent interpreter", { timeout: 600_000 }, () =>
    expectRandomFlows({
      count: 8,
      atOnce: 4,
      witness,
      run: async (value, args) => ws.completed(expectStatus(await ws.post("jobs/run/preview_flow", { value, args }), 201).text, 300_000),
    }),
  );
});
