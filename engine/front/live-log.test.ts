import { describe, expect, it } from "vitest";
import type { FrontEvent } from "./front.ts";
import { liveLine } from "./live-log.ts";

const at = new Date(2026, 0, 2, 12, 3, 11);
const anEvent = (event: Partial<FrontEvent>): FrontEvent => ({
  method: "POST",
  path: "/",
  status: 200,
  ms: 31.4,
  jobId: undefined,
  jobState: undefined,
  ...event,
});

describe("liveLine", () => {
  it("the line describes a run", () => {
    const path = "/api/w/demo/jobs/run_wait_result/p/f/examples/hello_bun";
    expect(liveLine(anEvent({ path }), at)).toBe("12:03:11 demo f/examples/hello_bun sync 31 ms ok");
  });

  it("the line names the outcome of a run with a waiting caller, because a failed script also returns 200", () => {
    const path = "/api/w/demo/jobs/run_wait_result/p/f/a";
    expect(liveLine(anEvent({ path, jobState: "failed" }), at)).toBe("12:03:11 demo f/a sync 31 ms failed");
    expect(liveLine(anEvent({ path, jobState: "succeeded" }), at)).toBe("12:03:11 demo f/a sync 31 ms ok");
  });

  it("the line names the job of an unfinished run, and the status of a rejected one", () => {
    const path = "/api/w/demo/jobs/run/h/0123456789abcdef";
    expect(liveLine(anEvent({ path, status: 201, jobId: "j-1" }), at)).toBe("12:03:11 demo 0123456789abcdef async 31 ms ok j-1");
    expect(liveLine(anEvent({ path, status: 404 }), at)).toBe("12:03:11 demo 0123456789abcdef async 31 ms failed: 404");
  });

  it("the log omits other calls unless the service failed", () => {
    expect(liveLine(anEvent({ method: "GET", path: "/api/version" }), at)).toBeUndefined();
    expect(liveLine(anEvent({ path: "/api/internal/jobs/x/beat" }), at)).toBeUndefined();
    expect(liveLine(anEvent({ method: "GET", path: "/api/version", status: 502 }), at)).toBe("12:03:11 GET /api/version 31 ms 502");
  });
});
