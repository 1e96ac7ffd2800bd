import { expect, it } from "vitest";
import { refusedStep } from "./refused-step.ts";

const flow = { modules: [{ id: "a", value: { type: "forloopflow", modules: [{ id: "b", value: { type: "identity" } }] } }] };

it.each([
  [JSON.stringify([{ step: "b", reason: "is missing" }]), "b"],
  [
    JSON.stringify([
      { at: ["x"], reason: "?" },
      { step: "a", reason: "?" },
      { step: "b", reason: "?" },
    ]),
    "a",
  ],
  [JSON.stringify([{ step: "gone", reason: "?" }, null, 1, { step: {} }]), undefined],
  ["{}", undefined],
  ['[{"step":"b"', undefined],
])("the refusal %s opens the step %s", (issues, id) => expect(refusedStep(flow, { issues })).toBe(id));
