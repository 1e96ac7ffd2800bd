import { describe, expect, it } from "vitest";
import { parseStepCall } from "./step-call.ts";

const state = { version: 1, workspace: "demo", job: "job-1", execution: 0, events: 0, path: "", outcome: "" };

describe("parseStepCall", () => {
  it("accepts the call of a module, of a segment and of the end of the flow", () => {
    expect(parseStepCall({ module: "a", scope: "", state })).toMatchObject({ module: "a" });
    expect(parseStepCall({ segment: "a", until: "b", scope: "", state })).toMatchObject({ until: "b" });
    expect(parseStepCall({ finish: "flow", state })).toMatchObject({ state: { job: "job-1" } });
  });

  it("rejects the state of an execution that another release started, and names its job", () => {
    expect(() => parseStepCall({ module: "a", scope: "", state: { ...state, version: 2 } })).toThrow(
      "The state of the execution of job job-1 was written by another release of svc. Restart the flow.",
    );
  });

  it("rejects a call of this release that lacks a field", () => {
    expect(() => parseStepCall({ module: "a", state })).toThrow("The call of a step is invalid");
  });
});
