import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { addOutcomes, addPage, type Bulk, describeBulkState, endEarly } from "./bulk.ts";

const bulk = (fields: Partial<Bulk> = {}): Bulk => ({
  ...{ id: "b", action: "cancel", latest: false, caller: { email: "ann@example.com", superAdmin: false }, parts: ["a", "b"], total: 200 },
  ...{ hasMore: false, completed: 0, done: 0, failed: 0, errors: [], createdAtMs: 0, stops: false },
  ...fields,
});
const searching = (fields: Partial<Bulk> = {}) => bulk({ search: { filterJson: "{}" }, parts: [], total: 0, ...fields });

describe("an action on many jobs", () => {
  it("ends with its last part, and counts the jobs of each", () => {
    const one = addOutcomes(bulk(), [{ id: "1" }, { id: "2", error: "no" }]);
    expect(one).toMatchObject({ completed: 1, done: 1, failed: 1, errors: [{ id: "2", error: "no" }] });
    expect(describeBulkState(one)).toBe("running");
    expect(describeBulkState(addOutcomes(one, [{ id: "3" }]))).toBe("done");
  });

  it("stores a limited number of errors", () => {
    const outcomes = Array.from({ length: 2 * limits.bulkErrors }, (_, at) => ({ id: String(at), error: "no" }));
    const { failed, errors } = addOutcomes(bulk(), outcomes);
    expect([failed, errors.length, errors[0]?.id]).toEqual([outcomes.length, limits.bulkErrors, "0"]);
  });

  it("knows its jobs once the list has no further page", () => {
    const one = addPage(searching(), { part: "a", count: 100, next: "cursor" });
    expect([describeBulkState(one), one.total, one.search?.cursor]).toEqual(["collecting", 100, "cursor"]);
    const two = addPage(one, { part: "b", count: 3, next: undefined });
    expect([describeBulkState(two), two.total, two.parts]).toEqual(["running", 103, ["a", "b"]]);
    expect(describeBulkState(addPage(searching(), { part: "", count: 0, next: undefined }))).toBe("done");
  });

  it("covers a limited number of jobs, and says whether there are more", () => {
    const full = { part: "a", count: 100, next: "cursor" };
    expect(addPage(searching({ total: limits.bulkJobs - 100 }), full)).toMatchObject({ total: limits.bulkJobs, hasMore: true });
    expect(describeBulkState(addPage(searching({ total: limits.bulkJobs - 100 }), full))).toBe("running");
    expect(addPage(searching({ total: limits.bulkJobs - 100 }), { ...full, next: undefined })).toMatchObject({ hasMore: false });
  });

  it("that was stopped has no error, unless there was another reason", () => {
    expect(describeBulkState(bulk({ stops: true }))).toBe("stopping");
    expect(endEarly(bulk())).toMatchObject({ ended: "stopped", errors: [] });
    expect(endEarly(bulk(), "gone")).toMatchObject({ ended: "stopped", errors: [{ error: "gone" }] });
  });
});
