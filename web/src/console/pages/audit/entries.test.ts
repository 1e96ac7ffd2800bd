import { expect, it } from "vitest";
import { entriesAsCsv, nextCursor, toFilter } from "./entries.ts";

it("the filters of the address become the query of the list", () => {
  expect(toFilter({ operation: "variables.update", kind: "Updated", username: "", from: "2026-01-02T03:04" })).toEqual({
    operation: "variables.update",
    action_kind: "Updated",
    after: new Date("2026-01-02T03:04").toISOString(),
  });
});

it("a full page is followed by the next one, and an early end by the time that the service names", () => {
  expect(nextCursor({ page: 2 }, 100, null)).toEqual({ page: 3 });
  expect(nextCursor({ page: 2 }, 40, null)).toBeUndefined();
  expect(nextCursor({ page: 2 }, 0, "2026-01-01T00:00:00Z")).toEqual({ before: "2026-01-01T00:00:00Z", page: 1 });
});

it("a CSV file of entries contains no formula", () => {
  const entry = {
    workspace_id: "demo",
    id: "1",
    timestamp: "2026-01-01T00:00:00Z",
    username: "=cmd()",
    operation: "variables.update",
    action_kind: "Updated" as const,
    parameters: { address: "127.0.0.1", label: "a" },
  };
  expect(entriesAsCsv([entry])).toBe(
    'timestamp,username,operation,action_kind,resource,parameters\r\n2026-01-01T00:00:00Z,\'=cmd(),variables.update,Updated,,"address: 127.0.0.1, label: a"',
  );
});
