import { expect, it } from "vitest";
import { workspaceTypes } from "../event-types.ts";
import { answerText, nextCursor, PER_PAGE, toDeliveryQuery } from "./pages.ts";

it("the filters of the address become the query of the list", () => {
  expect(toDeliveryQuery({}, workspaceTypes)).toEqual({});
  expect(toDeliveryQuery({ event: "CreateFlow", state: "failed", endpoint: "ops" }, workspaceTypes)).toEqual({
    type: "CreateFlow",
    state: "failed",
    endpoint: "ops",
  });
  expect(toDeliveryQuery({ path: "f/ops/a", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }, workspaceTypes)).toEqual({
    path: "f/ops/a",
    after: "2026-01-01T00:00:00.000Z",
    before: "2026-01-02T00:00:00.000Z",
  });
  expect(toDeliveryQuery({ from: "soon", path: "" }, workspaceTypes)).toEqual({});
  expect(toDeliveryQuery({ event: "UserAdded", state: "lost", endpoint: "" }, workspaceTypes)).toEqual({});
});

it("an answer is its status, or the reason as a sentence", () => {
  expect(answerText({ status: 204 })).toBe("204");
  expect(answerText({ status: 500, error: "it returned status 500" })).toBe("It returned status 500");
  expect(answerText({})).toBe("");
});

it("a list continues after a full page, and at the time that the service names", () => {
  const before = "2026-01-01T00:00:00.000Z";
  expect(nextCursor(PER_PAGE, null, { page: 1 })).toEqual({ page: 2 });
  expect(nextCursor(3, before, { page: 2 })).toEqual({ page: 1, before });
  expect(nextCursor(PER_PAGE, null, { page: 1, before })).toEqual({ page: 2, before });
  expect(nextCursor(3, null, { page: 2, before })).toBeUndefined();
});
