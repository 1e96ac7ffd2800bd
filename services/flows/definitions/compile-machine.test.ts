import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { aFlow, identity } from "../../../test/builders/flows.ts";
import { makeMachine } from "./compile-machine.ts";
import { validateMachine } from "./validate-machine.ts";

const request = (modules: object[]) => ({ workspace: "demo", path: "f/t/flow", value: aFlow({ modules }) });
const deps = (make: (name: string, definition: string) => "made" | "leaving" | "different" | { refused: string }) => ({
  stateMachines: { createStateMachine: async (name: string, definition: string) => make(name, definition) },
  stepFunction: "arn:aws:lambda:us-east-1:000000000000:function:step",
  machineRole: "arn:aws:iam::000000000000:role/any",
  stack: "svc",
});
const never = deps(() => expect.fail("something was made"));

describe("makeMachine", () => {
  it("refuses a flow whose definition exceeds the limit of Step Functions without calling it", async () => {
    // Each of these has four states.
    const more = { summary: "x".repeat(200), retry: { constant: { attempts: 1 } }, sleep: { type: "static", value: 1 } };
    const modules = Array.from({ length: 900 }, (_, index) => identity(`s${index}`, more));
    expect(await makeMachine(never, request(modules))).toEqual({
      refused: expect.stringMatching(
        /^The flow is too large: its state machine has \d+ bytes, and the maximum is 1000000\. Move some steps/,
      ),
    });
  });

  it("refuses a flow with more steps than an execution's history can hold, before it compiles", async () => {
    const modules = Array.from({ length: 50_000 }, (_, index) => identity(`s${index}`));
    expect(await makeMachine(never, request(modules))).toEqual({ refused: expect.stringContaining("at most 1249 steps") });
  });

  it("creates the machine of the largest flow that is allowed", async () => {
    const modules = Array.from({ length: 1249 }, (_, index) => identity(`step_${index}`));
    const sent: number[] = [];
    const made = await makeMachine(
      deps((_, definition) => {
        sent.push(Buffer.byteLength(JSON.stringify({ definition })));
        return "made";
      }),
      request(modules),
    );
    expect(made).toEqual({ machine: expect.stringMatching(/^svc-demo-f-t-flow-[0-9a-f]{16}$/) });
    expect(sent.every((bytes) => bytes < 1024 * 1024)).toBe(true);
  });

  it("returns the reason for which Step Functions rejects a definition", async () => {
    const says = deps(() => ({ refused: "Step Functions does not take it" }));
    expect(await makeMachine(says, request([identity("a")]))).toEqual({ refused: "Step Functions does not take it" });
  });
});

describe("makeMachine while a machine of that name is being deleted", () => {
  it("uses the spare name until the last execution of the deleted machine has ended", async () => {
    const tried: string[] = [];
    const made = await makeMachine(
      deps((name) => {
        tried.push(name);
        return tried.length === 1 ? "leaving" : "made";
      }),
      request([identity("a")]),
    );
    const [first, second, ...more] = tried;
    expect(made).toEqual({ machine: second });
    expect(more).toEqual([]);
    expect(first).not.toBe(second);
    expect(first?.slice(0, -16)).toBe(second?.slice(0, -16));
  });

  it("throws if the spare machine is being deleted too, so that the caller retries", async () => {
    await expect(
      makeMachine(
        deps(() => "leaving"),
        request([identity("a")]),
      ),
    ).rejects.toThrow("are being deleted");
  });
});

describe("makeMachine with a machine of that name and another definition", () => {
  it("uses the spare name, and never the machine that it found", async () => {
    const tried: string[] = [];
    const made = await makeMachine(
      deps((name) => {
        tried.push(name);
        return tried.length === 1 ? "different" : "made";
      }),
      request([identity("a")]),
    );
    expect(tried).toHaveLength(2);
    expect(made).toEqual({ machine: tried[1] });
  });

  it("refuses the flow if both names are taken", async () => {
    const taken = deps(() => "different");
    expect(await makeMachine(taken, request([identity("a")]))).toEqual({
      refused: expect.stringMatching(
        /^The state machines svc-demo-f-t-flow-\w+ and svc-demo-f-t-flow-\w+ have another definition\. Delete them/,
      ),
    });
  });
});

describe("validateMachine", () => {
  const end = { End: { Type: "Succeed" } };
  const refused = (definition: object, name = "svc-demo-a-12345678") => validateMachine(name, JSON.stringify(definition));

  it.each([
    ["a state that leads nowhere", { StartAt: "A", States: { A: { Type: "Pass", Next: "B" } } }],
    ["a state that nothing leads to", { StartAt: "End", States: { ...end, A: { Type: "Pass", End: true } } }],
    ["a kind of state that there is not", { StartAt: "End", States: { End: { Type: "Stop" } } }],
    ["no end", { StartAt: "A", States: { A: { Type: "Pass", Next: "A" } } }],
  ])("finds %s", async (_what, definition) => {
    expect(await refused(definition)).toMatch(/^The flow's state machine is not valid, which is a fault of the service: [A-Z_]+: ./);
  });

  it("finds no fault in a valid machine, before and after an invalid one", async () => {
    const stop = { StartAt: "End", States: { End: { Type: "Stop" } } };
    expect(await refused({ StartAt: "End", States: end })).toBeUndefined();
    const first = await refused(stop);
    expect(first).toContain("SCHEMA_VALIDATION_FAILED: /States/End/Type");
    expect(await refused(stop)).toBe(first);
    expect(await refused({ StartAt: "End", States: end })).toBeUndefined();
  });

  it("rejects a name that Step Functions rejects", async () => {
    const good = { StartAt: "End", States: end };
    expect(await refused(good, "x".repeat(81))).toContain("name");
    expect(await refused(good, "a b")).toContain("name");
  });

  it("counts the bytes of the request with quotes and as UTF-8", async () => {
    const large = (text: string, times: number) => refused({ Comment: text.repeat(times), StartAt: "End", States: end });
    expect(await large("x", limits.machineBytes - 1000)).toBeUndefined();
    expect(await large('"', limits.machineBytes / 2)).toContain("too large");
    expect(await large("数", limits.machineBytes / 2)).toContain("too large");
  });
});
