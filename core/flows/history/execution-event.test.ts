import { expect, it } from "vitest";
import { executionEventSchema, STOPPED_BY_SERVICE } from "./execution-event.ts";

const job = "00000000-0000-7000-8000-000000000001";
const read = (detail: object) => executionEventSchema.parse({ detail: { name: `${job}.2`, ...detail } });

it("an execution that failed, or that a person stopped, counts as failed, and one that the service stopped does not", () => {
  expect(read({ status: "FAILED", error: "States.Runtime" })).toEqual({ job, execution: 2, stopped: false, failed: true });
  expect(read({ status: "TIMED_OUT" })).toEqual({ job, execution: 2, stopped: false, failed: true });
  expect(read({ status: "ABORTED", error: null })).toEqual({ job, execution: 2, stopped: true, failed: true });
  expect(read({ status: "ABORTED", error: STOPPED_BY_SERVICE })).toEqual({ job, execution: 2, stopped: true, failed: false });
});

it("an execution with another name was not started by the service", () => {
  expect(executionEventSchema.parse({ detail: { name: "by-hand", status: "FAILED" } })).toBeUndefined();
});
