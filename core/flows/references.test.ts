import { describe, expect, it } from "vitest";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { findEarlyReturnModule } from "./references.ts";
import { indexFlow } from "./scopes.ts";

const step = (id: string): FlowModule => ({ id, value: { type: "identity" } });
const loop = (id: string, modules: FlowModule[]): FlowModule => ({ id, value: { type: "whileloopflow", modules } });
const index = indexFlow({ modules: [step("a"), loop("l", [step("x")]), step("b"), step("c")] });

describe("early returns", () => {
  it.each([
    ["b", "b"],
    ["results.a", "a"],
    ["results.b + results.a", "b"],
    ["results['x']", "l"],
    ["flow_input.name", "a"],
    ["results.none", "a"],
    ["Object.keys(results)", "c"],
  ])("the expression %s is evaluated after the module %s", (wanted, module) => {
    expect(findEarlyReturnModule(index, wanted)).toBe(module);
  });
});
