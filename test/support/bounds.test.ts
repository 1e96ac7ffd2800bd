import { describe, expect, it } from "vitest";
import * as z from "zod";
import { storedFlowValueSchema } from "../../contract/flows/flow-value.ts";
import { flowValueSchema } from "../../contract/flows/flow-value-schema.ts";
import { limits } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { scheduleSettingsSchema } from "../../contract/routes/schedules/schedule.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { withinBounds } from "../../contract/utilities/within-bounds.ts";
import { SYNC_LIMIT, syncLimitSchema } from "../../core/settings/instance.ts";
import { itemSchemas } from "../../core/sync/check/item-schemas.ts";
import { syncOptionsSchema } from "../../core/sync/config/config.ts";
import { schemasIn } from "./schemas-in.ts";

const sent = (Object.values(routes) as Route[]).flatMap(({ name, params, query, body }) =>
  Object.entries({ params, query, body }).flatMap(([part, schema]) => (schema ? [{ at: `${name} ${part}`, schema }] : [])),
);
const items = Object.entries(itemSchemas).map(([kind, schema]) => ({ at: `item ${kind}`, schema }));
const settings = [
  { at: "sync options", schema: syncOptionsSchema },
  { at: `setting ${SYNC_LIMIT}`, schema: syncLimitSchema },
];
const all = [...sent, ...items, ...settings].flatMap(({ at, schema }) => [...schemasIn(schema, at)]);

const boundsOf = (schema: z.core.$ZodType) =>
  (schema instanceof z.ZodNumber ? [schema.minValue, schema.maxValue] : []) as (number | null)[];
const isSafe = (bound: number | null) => bound !== null && Math.abs(bound) <= Number.MAX_SAFE_INTEGER;

describe("every number that a client can send", () => {
  const numbers = all.filter(({ schema }) => schema._zod.def.type === "number");

  it("has a minimum and a maximum that each table and each language can hold", () => {
    expect(numbers.length).toBeGreaterThan(100);
    const unbounded = numbers.filter(({ schema }) => boundsOf(schema).length < 2 || !boundsOf(schema).every(isSafe));
    expect(unbounded.map(({ at }) => at)).toEqual([]);
  });

  it.each(numbers.map(({ at, schema }) => [at, schema] as const))("%s accepts its bounds, and nothing beyond them", (_, schema) => {
    const [minimum = Number.NaN, maximum = Number.NaN] = boundsOf(schema).map(Number);
    const accepts = (value: unknown) => z.safeParse(schema, value).success;
    expect([accepts(minimum), accepts(maximum)]).toEqual([true, true]);
    for (const value of [minimum - 1, maximum + 1]) if (Number.isSafeInteger(value)) expect(accepts(value)).toBe(false);
    for (const value of [1e300, -1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) expect(accepts(value)).toBe(false);
  });

  it("is whole, except where it is stored as text or refused by the table: no table holds the smallest fractions", () => {
    const fractions = numbers.filter(({ schema }) => z.safeParse(schema, Number.MIN_VALUE).success).map(({ at }) => at.split(".").at(-1));
    expect([...new Set(fractions)].sort()).toEqual(["exit_code", "multiplier", "random_factor", "seconds", "timeout"]);
  });

  it("is not a date or a BigInt, which would have no bounds", () => {
    expect(all.filter(({ schema }) => ["date", "bigint", "nan"].includes(schema._zod.def.type)).map(({ at }) => at)).toEqual([]);
  });
});

describe("every time that a client can send", () => {
  const times = all.filter(({ schema }) => schema instanceof z.ZodISODateTime);

  it("is a date that replies can show", () => {
    expect(times.length).toBeGreaterThan(20);
    for (const { schema } of times) {
      const accepts = (text: string) => z.safeParse(schema, text).success;
      for (const text of ["+010000-01-01T00:00:00Z", "275760-09-13T00:00:00Z", `2026-01-01T00:00:00.${"0".repeat(100)}Z`])
        expect(accepts(text)).toBe(false);
    }
    for (const text of ["0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]) expect(toIsoTime(Date.parse(text))).toMatch(/^\d{4}-/);
    expect([toIsoTime(9e15), toIsoTime(-9e15)]).toEqual(["9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z"]);
  });
});

describe("a value that an earlier release stored without bounds", () => {
  const modules = [
    {
      id: "a",
      value: { type: "identity" },
      timeout: 1e300,
      suspend: { timeout: 1e300 },
      retry: { constant: { attempts: 1, seconds: 1e300 } },
    },
    {
      id: "b",
      value: { type: "forloopflow", iterator: { type: "static", value: [1e300] }, parallelism: 1e300, modules: [] },
      cache_ttl: 1e300,
    },
  ];

  it("is readable, and is replaced by the bound", () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(flowValueSchema.safeParse({ modules }).success).toBe(false);
    expect(storedFlowValueSchema.parse({ modules })).toEqual({
      modules: [
        { ...modules[0], timeout: most, suspend: { timeout: most }, retry: { constant: { attempts: 1, seconds: most } } },
        { ...modules[1], value: { ...modules[1]?.value, parallelism: most }, cache_ttl: most },
      ],
    });
    const retry = { exponential: { attempts: 1, seconds: 1e300, multiplier: 1e300 } };
    expect(withinBounds(scheduleSettingsSchema).parse({ retry }).retry?.exponential).toMatchObject({ seconds: most, multiplier: most });
  });

  it("is refused for every other fault, at the same place", () => {
    const wrong = { modules: [{ id: "a b", value: { type: "identity" }, timeout: 1e300 }] };
    const { error } = storedFlowValueSchema.safeParse(wrong);
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["modules.0.id"]);
  });

  it("has a period of seconds that fits a date", () => {
    expect(toIsoTime(Date.UTC(2026, 0, 1) + limits.periodS * 1000)).toMatch(/^5\d{3}-/);
  });
});
