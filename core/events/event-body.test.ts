import { describe, expect, it } from "vitest";
import type { SvcEvent } from "../../contract/events.ts";
import { buildEventBody } from "./event-body.ts";

const base = { id: "0198a1c0-0000-7000-8000-000000000001", workspace: "w", by: "ann", atMs: Date.UTC(2026, 10, 23, 8) };
const body = (event: Partial<SvcEvent>) => buildEventBody({ ...base, ...event } as SvcEvent);

describe("buildEventBody", () => {
  it("has the type, the time of the change, the workspace, the author and the data", () => {
    expect(body({ type: "DeleteVariable", data: { path: "f/ops/key", is_secret: true } })).toEqual({
      type: "DeleteVariable",
      timestamp: "2026-11-23T08:00:00.000Z",
      data: { workspace_id: "w", by: "ann", path: "f/ops/key", is_secret: true },
    });
  });

  it("an event of the instance has only its data", () => {
    expect(body({ type: "UserAdded", workspace: "-", data: { email: "bob@example.com" } }).data).toEqual({ email: "bob@example.com" });
  });

  it("a test event does not name its endpoint", () => {
    expect(body({ type: "svc.test", data: { endpoint: "e1" } }).data).toEqual({ workspace_id: "w", by: "ann" });
  });
});
