import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { checkFields } from "./unknown-input.ts";

const all = Object.entries<Route>(routes);
const namesOf = (schema: z.ZodType | undefined): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
/** The name without one of its letters. */
const misspell = (name: string) => `${name.slice(0, 2)}${name.slice(3)}`;

describe("a query parameter that a route does not know", () => {
  const cases = all.flatMap(([name, route]) => namesOf(route.query).map((parameter) => ({ name, route, parameter })));
  it("is refused with the most similar name, on every route except webhooks, whose senders cannot correct it", () => {
    for (const { name, route, parameter } of cases) {
      if (parameter.length < 5) continue;
      const known = namesOf(route.query);
      const sent = misspell(parameter);
      if (known.includes(sent)) continue;
      const outcome = outcomeOf(route, { [sent]: "1" }, {});
      expect([name, parameter, outcome]).toEqual([name, parameter, route.payload ? sent : "query.invalid"]);
    }
  });

  it("is named without a suggestion if no known name is similar", () => {
    for (const [name, route] of all) {
      expect([name, outcomeOf(route, { zzqx_unlike: "1" }, {})]).toEqual([name, "zzqx_unlike"]);
    }
  });
});

describe("a field of a body that a route does not know", () => {
  const cases = all.flatMap(([name, route]) => namesOf(route.body).map((field) => ({ name, route, field })));
  it("is refused with the most similar name, on every route", () => {
    for (const { name, route, field } of cases) {
      const sent = misspell(field);
      if (field.length < 5 || namesOf(route.body).includes(sent)) continue;
      const outcome = outcomeOf(route, {}, { [sent]: 1 });
      expect([name, field, outcome]).toEqual([name, field, "body.shape"]);
    }
  });

  it("is named without a suggestion if no known name is similar, on every route with a closed set of fields", () => {
    for (const [name, route] of all) {
      const { body } = route;
      if (!(body instanceof z.ZodObject) || (body._zod.def.catchall && !(body._zod.def.catchall instanceof z.ZodNever))) continue;
      expect([name, outcomeOf(route, {}, { zzqx_unlike: 1 })]).toEqual([name, "zzqx_unlike"]);
    }
  });
});

describe("the header x-svc-ignored", () => {
  const route = routes.listJobs;
  it("is absent if all fields are known", () => {
    expect(checkFields(route, { success: "false" }, undefined)).toEqual({});
  });
  it("contains no character that a header must not have, and ends within its limit", () => {
    const names = ["a\r\nb", "é, ü", ...Array.from({ length: 500 }, (_, at) => `field${at}`)];
    const value = checkFields(route, Object.fromEntries(names.map((name) => [name, "1"])), undefined)["x-svc-ignored"];
    expect(value).toMatch(/^a%0D%0Ab, %C3%A9%2C%20%C3%BC, field0, /);
    expect(value).toMatch(/, \.\.\.$/);
    expect(value?.length).toBeLessThan(1100);
  });
});

/** Returns the names of ignored fields, or the code of the error. */
function outcomeOf(...call: Parameters<typeof checkFields>): string | undefined {
  try {
    return checkFields(...call)["x-svc-ignored"];
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
