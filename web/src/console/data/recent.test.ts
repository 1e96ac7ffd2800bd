import { afterEach, expect, it, vi } from "vitest";
import { fakeStorage } from "../../../../test/support/console/storage.ts";
import { forgetPerson } from "./browser-storage.ts";
import { listOpened, mergeRecent, noteOpened } from "./recent.ts";

afterEach(() => vi.unstubAllGlobals());

const script = (path: string, atMs: number) => ({ kind: "script", path, atMs }) as const;

it("recent items are merged: each once, at its last time", () => {
  const flow = { kind: "flow", path: "f/a", atMs: 2 } as const;
  expect(mergeRecent([script("f/a", 1), script("f/b", 5)], [script("f/a", 3), flow])).toEqual([script("f/b", 5), script("f/a", 3), flow]);
});

it("the browser keeps the last 20 items that a person opened in a workspace, until the person signs out", () => {
  vi.stubGlobal("localStorage", fakeStorage({ "svc.theme": "dark" }));
  for (let n = 0; n < 30; n++) noteOpened("ops", "ann", script(`f/${n}`, n));
  noteOpened("ops", "ann", script("f/15", 40));
  const kept = listOpened("ops", "ann");
  expect([kept.length, kept[0]?.path, kept[1]?.path]).toEqual([20, "f/15", "f/29"]);
  expect([listOpened("ops", "bob"), listOpened("dev", "ann")]).toEqual([[], []]);
  forgetPerson();
  expect([listOpened("ops", "ann"), Object.keys(localStorage)]).toEqual([[], ["svc.theme"]]);
});

it("without a storage, or with a value of another program, nothing is recent", () => {
  vi.stubGlobal("localStorage", fakeStorage({ "svc.person.recent/ann/ops": '[{"kind":"script"},{"kind":"x","path":1},7]' }));
  expect(listOpened("ops", "ann")).toEqual([]);
  vi.stubGlobal("localStorage", undefined);
  noteOpened("ops", "ann", script("f/a", 1));
  expect(listOpened("ops", "ann")).toEqual([]);
});
