import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeStorage } from "../../../../../test/support/console/storage.ts";
import { forgetPerson } from "../../data/browser-storage.ts";
import { keepDraft, keyOfDraft, readDraft } from "./draft.ts";

const DAY_MS = 24 * 3600_000;
const key = keyOfDraft("ann", "ops", "run", "script", "f/a");

beforeEach(() => vi.stubGlobal("localStorage", fakeStorage()));
afterEach(() => vi.unstubAllGlobals());

it("a draft belongs to a person, a workspace and a form", () => {
  keepDraft(key, { name: "Ann" });
  expect(readDraft(key)).toEqual({ name: "Ann" });
  const others = [
    keyOfDraft("bob", "ops", "run", "script", "f/a"),
    keyOfDraft("ann", "dev", "run", "script", "f/a"),
    keyOfDraft("ann", "ops", "run", "flow", "f/a"),
  ];
  expect(others.map((other) => readDraft(other))).toEqual([undefined, undefined, undefined]);
  expect(keyOfDraft("ann", "ops", "a/b")).not.toBe(keyOfDraft("ann", "ops", "a", "b"));
});

it("a draft is removed after it was sent, after a week, and when the person signs out", () => {
  keepDraft(key, "sent");
  keepDraft(key, undefined);
  expect(readDraft(key)).toBeUndefined();
  keepDraft(key, "old", 0);
  expect([readDraft(key, 6 * DAY_MS), readDraft(key, 7 * DAY_MS)]).toEqual(["old", undefined]);
  keepDraft(keyOfDraft("ann", "ops", "view"), "new", 8 * DAY_MS);
  expect(Object.keys(localStorage)).toEqual([keyOfDraft("ann", "ops", "view")]);
  forgetPerson();
  expect(Object.keys(localStorage)).toEqual([]);
});

it("the browser keeps the newest 50 drafts, and none of more than 64 KB", () => {
  for (let n = 0; n < 60; n++) keepDraft(keyOfDraft("ann", "ops", String(n)), n, 1000 + n);
  expect([
    Object.keys(localStorage).length,
    readDraft(keyOfDraft("ann", "ops", "9"), 2000),
    readDraft(keyOfDraft("ann", "ops", "10"), 2000),
  ]).toEqual([50, undefined, 10]);
  keepDraft(key, "short");
  keepDraft(key, "x".repeat(70_000));
  expect(readDraft(key)).toBeUndefined();
});

it("a value of another program is no draft", () => {
  localStorage.setItem(key, '{"value": 1}');
  expect(readDraft(key)).toBeUndefined();
});
