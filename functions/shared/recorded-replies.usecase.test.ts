import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RouteFunction } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import type * as deployed from "../../test/support/fuzz/deployed-functions.ts";
import { isExchange } from "../../test/support/replies/exchange.ts";
import type * as recorder from "../../test/support/replies/record.ts";
import { recordings } from "../../test/support/replies/recordings.ts";
import type * as stages from "../../test/support/replies/stage.ts";
import { unrecorded } from "../../test/support/replies/unrecorded.ts";

// Modules keep this function, so it tells the real time again after this file.
const realNow = Date.now;
let nowMs = realNow;
Date.now = () => nowMs();

let functions: Awaited<ReturnType<typeof deployed.loadFunctions>>;
let support: typeof stages & typeof recorder & { recordings: typeof recordings };
beforeAll(async () => {
  // Modules remember values until a time. They are loaded again, so that no other file gets a value with a time of this one.
  vi.resetModules();
  const { loadFunctions } = await import("../../test/support/fuzz/deployed-functions.ts");
  support = {
    ...(await import("../../test/support/replies/stage.ts")),
    ...(await import("../../test/support/replies/record.ts")),
    ...(await import("../../test/support/replies/recordings.ts")),
  };
  functions = await loadFunctions([...new Set(Object.values(routes).map(({ fn }) => fn))] as RouteFunction[]);
}, 60_000);
afterAll(() => {
  nowMs = realNow;
  functions.close();
  vi.resetModules();
});

describe("the replies to the recorded requests are those of test/fixtures/replies", () => {
  it.each(Object.keys(recordings))("%s", async (name) => {
    const stage = await support.newStage(name, functions.handlers, (clock) => {
      nowMs = clock;
    });
    const { text, faults } = await support.record(stage, support.recordings[name] ?? []);
    expect(faults).toEqual([]);
    await expect(text).toMatchFileSnapshot(`../../test/fixtures/replies/${name}.txt`);
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

  it("contain no request for whose absence there is a reason, and there is no reason for an unknown route", () => {
    expect(Object.keys(unrecorded).filter((one) => recorded.has(one) || !wanted.includes(one))).toEqual([]);
  });
});
