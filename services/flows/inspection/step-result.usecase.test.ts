import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import { runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { each, echo, one, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import {
  approveGate,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { loadStepResult } from "./step-result.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const { run } = world.answers;
  world.answers.run = async (request) => (request.args["x"] === "bad" ? failure("no") : run(request));
});

const resultOf = async (id: string, name: string, actor = anAdmin) =>
  JSON.parse(await loadStepResult(world.deps, { actor, action: actions.readJob }, { workspace: world.workspace, id, step: name }));

describe("the result of a flow's step", () => {
  it("is the result of the step's outcome, also for steps without a job and steps inside branches and loops", async () => {
    const { run } = await runFlowInCloud(world, [
      step("a"),
      echo("skipped", "1", { skip_if: { expr: "true" } }),
      echo("mocked", "1", { mock: { enabled: true, return_value: { m: 1 } } }),
      one("o", "true", [echo("inside", "'in'")]),
      each("l", "[1, 2, 3]", [echo("i", "flow_input.iter.value")]),
      echo("f", "'bad'", { continue_on_error: true }),
      echo("stop", "'end'", { stop_after_if: { expr: "true" } }),
      step("never"),
    ]);
    const names = ["a", "skipped", "mocked", "o", "inside", "l", "i", "stop"];
    expect(await Promise.all(names.map((name) => resultOf(run, name)))).toEqual(["a", "a", { m: 1 }, "in", "in", [1, 2, 3], 3, "end"]);
    expect(await resultOf(run, "f")).toMatchObject({ error: { message: "no" } });
    for (const name of ["never", "unknown", "a@", ""]) {
      await expect(resultOf(run, name)).rejects.toMatchObject({ code: "job.stepNotFinished", details: { id: run, step: name } });
    }
  });

  it("is the result of the last attempt if a loop was retried", async () => {
    let failures = 1;
    const { run: before } = world.answers;
    world.answers.run = async (request) => (request.args["x"] === "later" && failures-- > 0 ? failure("no") : before(request));
    const body = [echo("i", "flow_input.iter.value"), echo("j", "'later'")];
    const { run } = await runFlowInCloud(world, [{ ...each("l", "[1]", body), retry: { constant: { attempts: 1, seconds: 0 } } }]);
    world.answers.run = before;
    expect(await resultOf(run, "j")).toBe("later");
  });

  it("is not readable for people who may not read the flow, and disappears with the step's data", async () => {
    const { run } = await runFlowInCloud(world, [step("a")]);
    await expect(resultOf(run, "a", aReader(world.workspace, []))).rejects.toMatchObject({ code: "job.notFound" });
    await expect(resultOf(randomUUID(), "a")).rejects.toMatchObject({ code: "job.notFound" });
    await world.deps.jobs.update(run, { erased: true } as object, { attr: "state", eq: "succeeded" });
    await expect(resultOf(run, "a")).rejects.toMatchObject({ code: "job.erased" });
  });

  it("is the decision for a ConsentGate, and exists for an approval step before it is approved", async () => {
    const run = await startFlow(world, [
      echo("ask", "'asked'", { suspend: { required_events: 1 } }),
      { id: "consent", value: { type: "consentgate", approvers: ["u/ann"] } },
      step("after"),
    ]);
    await playExecutions(world);
    expect(await resultOf(run, "ask")).toBe("asked");
    const rights = { workspace: world.workspace, role: "admin" as const, groups: [], folders: {}, objects: {} };
    const person = { ...anAdmin, rights };
    const approveOpen = async () => {
      for (const gate of await gates(world, run)) if (!gate.decision) await approveGate(world, gate, 1, { person });
      await playExecutions(world);
    };
    await approveOpen();
    await expect(resultOf(run, "consent")).rejects.toMatchObject({ code: "job.stepNotFinished" });
    await approveOpen();
    expect(await resultOf(run, "consent")).toMatchObject({ approved: true, approver: "kim" });
    expect(await resultOf(run, "ask")).toBe("asked");
  });
});
