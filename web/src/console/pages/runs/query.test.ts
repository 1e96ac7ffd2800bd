import { expect, it } from "vitest";
import { hasFilters, ofPeople, toListQuery } from "./query.ts";

it("the filters of the address become the query of the list, and unfinished times do not filter", () => {
  expect(toListQuery({})).toEqual({ ...ofPeople });
  expect(
    toListQuery({ search: "x", status: "failure", path: "f/ops", created_by: "ann", from: "2026-01-02T03:04Z", to: "2026-01" }),
  ).toEqual({
    ...ofPeople,
    broad_filter: "x",
    status: "failure",
    script_path_start: "f/ops",
    created_by: "ann",
    created_after: "2026-01-02T03:04:00.000Z",
    created_before: "2026-01-01T00:00:00.000Z",
  });
  expect(toListQuery({ status: "running" })).toEqual({ ...ofPeople, running: true });
  expect(toListQuery({ status: "suspended", to: "soon" })).toEqual({ ...ofPeople, suspended: true });
});

it("a tab or a selection in the address is no filter", () => {
  expect([hasFilters({ tab: "a" }), hasFilters({ path: "f" })]).toEqual([false, true]);
});
