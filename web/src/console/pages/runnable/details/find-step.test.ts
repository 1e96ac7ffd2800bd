import { expect, it } from "vitest";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import { findStep } from "./find-step.ts";

const step = (id: string): FlowModule => ({ id, value: { type: "identity" } });
const modules: FlowModule[] = [
  step("a"),
  {
    id: "b",
    value: {
      type: "forloopflow",
      iterator: { type: "static", value: [1] },
      modules: [
        { id: "c", value: { type: "branchone", branches: [{ expr: "true", modules: [step("d")] }], default: [step("e")] } },
        { id: "f", value: { type: "branchall", branches: [{ modules: [step("g")] }] } },
      ],
    } as FlowModule["value"],
  },
];

it("finds a step in loops and branches, and none without its id", () => {
  for (const id of ["a", "b", "c", "d", "e", "f", "g"]) expect(findStep(modules, id)?.id).toBe(id);
  expect(findStep(modules, "h")).toBeUndefined();
  expect(findStep(modules, undefined)).toBeUndefined();
});
