import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Route, RouteFunction } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import type * as deployed from "../../test/support/fuzz/deployed-functions.ts";
import { isExchange, type Steps } from "../../test/support/replies/exchange.ts";
import type * as recorder from "../../test/support/replies/record.ts";
import { recordings } from "../../test/support/replies/recordings.ts";
import type * as stages from "../../test/support/replies/stage.ts";
import type * as instance from "../../test/support/replies/stored/instance-state.ts";
import type { StoredInstance } from "../../test/support/replies/stored/instance-state.ts";
import { findUnreadableItems, findUnstoredKinds } from "../../test/support/replies/stored/kinds.ts";
import { unrecorded } from "../../test/support/replies/unrecorded.ts";
import type { StoredTables } from "../../test/support/use-cases/stored/stored-state.ts";

// Modules remember this function. After this file, it returns the real time.
const realNow = Date.now;
let nowMs = realNow;
Date.now = () => nowMs();

const setClock = (clock: () => number) => {
  nowMs = clock;
};

let functions: Awaited<ReturnType<typeof deployed.loadFunctions>>;
let support: typeof stages & typeof recorder & typeof instance & { recordings: typeof recordings; writes: Steps; reads: Steps };
beforeAll(async () => {
  // Modules remember values until a time. They are loaded again, so that no other file gets a value with a time of this one.
  vi.resetModules();
  const { loadFunctions } = await import("../../test/support/fuzz/deployed-functions.ts");
  support = {
    ...(await import("../../test/support/replies/stage.ts")),
    ...(await import("../../test/support/replies/record.ts")),
    ...(await import("../../test/support/replies/recordings.ts")),
    ...(await import("../../test/support/replies/stored/instance-state.ts")),
    ...(await import("../../test/support/replies/stored/writes.ts")),
    ...(await import("../../test/support/replies/stored/reads.ts")),
  };
  functions = await loadFunctions([...new Set<RouteFunction>(["routes", ...Object.values<Route>(routes).map(({ fn }) => fn)])]);
}, 60_000);
afterAll(() => {
  nowMs = realNow;
  functions.close();
  vi.resetModules();
});

describe("the replies to the recorded requests are those of test/fixtures/replies", () => {
  it.each(Object.keys(recordings))("%s", async (name) => {
    const stage = await support.newStage(name, functions.handlers, setClock);
    const { text, faults } = await support.record(stage, support.recordings[name] ?? []);
    expect(faults).toEqual([]);
    await expect(text).toMatchFileSnapshot(`../../test/fixtures/replies/${name}.txt`);
  });
});

const folder = path.join(import.meta.dirname, "../../test/fixtures/state/0.3");
const readState = <State>(file: string) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as State;

/** The release that the folder is named after writes this file once. Later releases read it and never write it (test/fixtures/state/README.md). */
if (process.env["SVC_WRITE_STATE"] === "1") {
  it("the instance of this release is written", async () => {
    const stage = await support.newStage("stored-03", functions.handlers, setClock);
    expect((await support.record(stage, support.writes, { isTried: false })).faults).toEqual([]);
    writeFileSync(path.join(folder, "instance.json"), `${JSON.stringify(await support.readInstance(stage), null, 1)}\n`);
  });
}

describe("the state of an instance that release 0.3 stored", () => {
  it("is read by all lists, its sealed values open, and its waiting runs continue", async () => {
    nowMs = realNow;
    const state = readState<StoredInstance>("instance.json");
    const stage = await support.newStoredStage(state, functions.handlers, setClock);
    expect(await findUnreadableItems(stage, state)).toEqual([]);
    const { text, faults } = await support.record(stage, support.reads, { isTried: false });
    expect(faults).toEqual([]);
    await expect(text).toMatchFileSnapshot("../../test/fixtures/state/0.3/replies.txt");
  });

  it("contains an item of each kind, with that of flows and objects, unless a reason says why not (test/support/replies/stored/kinds.ts)", () => {
    expect(findUnstoredKinds(["instance.json", "flows.json", "objects.json"].map((file) => readState<StoredTables>(file)))).toEqual([]);
  });
});

describe("the recordings", () => {
  const recorded = new Set(
    Object.values(recordings)
      .flat()
      .filter(isExchange)
      .map(({ kind, route }) => `${kind} ${route}`),
  );
  const wanted = Object.keys(routes).flatMap((route) => [`good ${route}`, `bad ${route}`]);

  it("contain a good and a bad request of each route, unless a reason says why not (test/support/replies)", () => {
    expect(wanted.filter((one) => !recorded.has(one) && !(one in unrecorded))).toEqual([]);
  });

  it("contain no request that has a reason for its absence, and no unknown route has such a reason", () => {
    expect(Object.keys(unrecorded).filter((one) => recorded.has(one) || !wanted.includes(one))).toEqual([]);
  });
});
