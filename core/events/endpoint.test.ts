import { describe, expect, it } from "vitest";
import type { SvcEvent } from "../../contract/events.ts";
import { listEventPaths, matchesEndpoint } from "./endpoint.ts";

const base = { id: "0198a1c0-0000-7000-8000-000000000001", workspace: "w", by: "ann", atMs: 0 };
const variable: SvcEvent = {
  ...base,
  type: "UpdateVariable",
  data: { path: "f/ops/new", old_path: "f/old/name", is_secret: true },
};
const folder: SvcEvent = { ...base, type: "CreateFolder", data: { name: "ops" } };
const resourceType: SvcEvent = { ...base, type: "CreateResourceType", data: { name: "c_a" } };
const matches = (event: SvcEvent, fields: { events?: string[]; paths?: string[] }) => matchesEndpoint({ id: "e1", ...fields }, event);

describe("matchesEndpoint", () => {
  it("an endpoint without a choice receives every event", () => {
    expect([variable, folder, resourceType].map((event) => matches(event, {}))).toEqual([true, true, true]);
  });

  it("an endpoint receives only the types that it has chosen, and none of an empty list", () => {
    expect(matches(variable, { events: ["CreateFolder", "UpdateVariable"] })).toBe(true);
    expect(matches(variable, { events: ["CreateFolder"] })).toBe(false);
    expect(matches(variable, { events: [] })).toBe(false);
  });

  it("a rename matches by its new and by its old path", () => {
    expect(matches(variable, { paths: ["f/ops/*"] })).toBe(true);
    expect(matches(variable, { paths: ["u/**", "f/old/**"] })).toBe(true);
    expect(matches(variable, { paths: ["f/other/**"] })).toBe(false);
  });

  it("type and path must both match", () => {
    expect(matches(variable, { events: ["CreateFolder"], paths: ["**"] })).toBe(false);
  });

  it("a folder matches the glob of its objects, and an event without a path matches no glob", () => {
    expect(matches(folder, { paths: ["f/ops/**"] })).toBe(true);
    expect(matches(folder, { paths: ["f/ops/*"] })).toBe(false);
    expect(matches(resourceType, { paths: ["**"] })).toBe(false);
  });

  it("a test event is sent only to its endpoint, whatever types the endpoint has chosen", () => {
    const test = (endpoint: string): SvcEvent => ({ ...base, type: "svc.test", data: { endpoint } });
    expect(matches(test("e1"), { events: [], paths: [] })).toBe(true);
    expect(matches(test("e2"), {})).toBe(false);
  });
});

describe("listEventPaths", () => {
  it("returns the path and the old path", () => {
    expect(listEventPaths(variable)).toEqual(["f/ops/new", "f/old/name"]);
    expect(listEventPaths(resourceType)).toEqual([]);
  });
});
