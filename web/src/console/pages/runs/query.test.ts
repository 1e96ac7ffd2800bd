import { expect, it } from "vitest";
import { countFilters, hasMoreFilters, ofPeople, toListQuery } from "./query.ts";

const NOW = Date.parse("2026-01-02T10:00:00Z");

it("the filters of the address become the query of the list, and unfinished values do not filter", () => {
  expect(toListQuery({}, NOW)).toEqual(ofPeople);
  const search = { search: "x", status: "failure", path: "f/ops", created_by: "ann", from: "2026-01-02T03:04Z", to: "2026-01" };
  expect(toListQuery(search, NOW)).toEqual({
    ...ofPeople,
    broad_filter: "x",
    status: "failure",
    script_path_start: "f/ops",
    created_by: "ann",
    created_after: "2026-01-02T03:04:00.000Z",
    created_before: "2026-01-01T00:00:00.000Z",
  });
  expect(toListQuery({ status: "running" }, NOW)).toEqual({ ...ofPeople, running: true });
  expect(toListQuery({ status: "suspended", to: "soon", args: "{" }, NOW)).toEqual({ ...ofPeople, suspended: true });
  expect(toListQuery({ args: '{"a":1}', error: "TypeError", trigger: "schedule", label: "x" }, NOW)).toEqual({
    ...ofPeople,
    args: '{"a":1}',
    result: '{"error":{"name":"TypeError"}}',
    trigger_kind: "schedule",
    label: "x",
  });
});

it("a part of the result and the name of an error are one filter, and the filters that are shown on request have their names in the address", () => {
  expect(toListQuery({ result: '{"error":{"message":"no"},"a":1}', error: "TypeError" }, NOW)).toMatchObject({
    result: '{"error":{"name":"TypeError"},"a":1}',
  });
  expect(toListQuery({ result: '{"a":1}', tag: "gpu", schedule_path: "f/a/daily", script_hash: "0123456789abcdef" }, NOW)).toEqual({
    ...{ ...ofPeople, result: '{"a":1}', tag: "gpu", schedule_path: "f/a/daily", script_hash: "0123456789abcdef" },
  });
  expect([{ tag: "gpu" }, { error: "TypeError" }, { status: "failure", tab: "a" }].map(hasMoreFilters)).toEqual([true, true, false]);
});

it("a tab or a selection in the address is no filter", () => {
  expect([countFilters({ tab: "a" }), countFilters({ path: "f", status: "failure" })]).toEqual([0, 2]);
});
