import { expect, it } from "vitest";
import { restartPoint } from "./restart-point.ts";

it("a restart begins at the step of the first level, and at its iteration", () => {
  expect(restartPoint("loop/41/step")).toEqual({ step: "loop", iteration: 42 });
  expect(restartPoint("loop/3/inner/7/step")).toEqual({ step: "loop", iteration: 4 });
  expect([restartPoint("send"), restartPoint("one/default/a")]).toEqual([
    { step: "send", iteration: undefined },
    { step: "one", iteration: undefined },
  ]);
});
