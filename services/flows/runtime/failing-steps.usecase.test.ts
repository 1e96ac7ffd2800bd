import { beforeAll, describe, expect, it } from "vitest";
import { runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, one, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import { type FlowWorld, newFlowWorld } from "../../../test/support/use-cases/world-flows.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});
const errorOf = (name: string, step_id: string, message: unknown) => ({ error: expect.objectContaining({ name, step_id, message }) });

describe("an expression that never ends fails its step, which is named,", () => {
  const endless = "(() => { for (;;) {} })()";
  it.each<[string, object]>([
    ["in an argument", echo("a", endless)],
    ["in a condition to skip", { ...step("a"), skip_if: { expr: endless } }],
    ["in a condition to stop", { ...step("a"), stop_after_if: { expr: endless } }],
    ["in the iterator of a loop", each("a", endless, [step("x")])],
    ["in the condition of a branch", one("a", endless, [step("x")])],
  ])("%s", async (_title, module) => {
    const { state, result } = await runFlowInCloud(world, [module, step("z")]);
    const message = expect.stringContaining(`: ${endless}: it took longer than 500 ms.`);
    expect([state, result]).toEqual(["failed", errorOf("ExpressionError", "a", message)]);
  });
});

it("a step whose arguments exceed the limit fails, and no job runs for it", async () => {
  const from = world.runs.length;
  const { state, result } = await runFlowInCloud(world, [echo("a", "'x'.repeat(5_000_000)"), step("z")]);
  expect([state, result]).toEqual(["failed", errorOf("ArgumentsTooLarge", "a", "The arguments of the step a are larger than 4 MB.")]);
  expect(world.runs.slice(from)).toEqual([]);
});

describe("when one of several parallel parts fails, the others end before the flow fails:", () => {
  /** The script with the argument "bad" fails; the one with "slow" ends only after that. */
  async function run(module: object) {
    const { run: before } = world.answers;
    const { promise: hasFailed, resolve } = Promise.withResolvers<void>();
    world.answers.run = async (request) => {
      if (request.args["x"] === "bad") {
        setImmediate(resolve);
        return failure("no");
      }
      await hasFailed;
      return before(request);
    };
    try {
      return await runFlowInCloud(world, [module, step("z")]);
    } finally {
      world.answers.run = before;
    }
  }
  const expected = { state: "failed", result: [errorOf("Error", "f", "no"), "slow"] };

  it("branches", async () => {
    const slow = [echo("y", "'slow'"), echo("y2", "results.y")];
    expect(await run(all("b", [[echo("f", "'bad'")], slow], { parallel: true }))).toMatchObject(expected);
  });

  it("iterations", async () => {
    const body = [echo("f", "flow_input.iter.index === 0 ? 'bad' : 'fine'"), echo("s", "'slow'")];
    expect(await run(each("l", "[0, 1]", body, { parallel: true }))).toMatchObject(expected);
  });
});
