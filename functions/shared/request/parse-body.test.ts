import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { parseBody } from "./parse-body.ts";

/** Yields the optional fields of a schema at any depth, each with its path and name. */
function* optionalFields(
  schema: z.core.$ZodType,
  place: string,
  seen = new Set<z.core.$ZodType>(),
): Generator<[string, string, z.ZodType]> {
  if (seen.has(schema)) return;
  seen.add(schema);
  const def = schema._zod.def as unknown as Record<string, unknown>;
  if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
      if (field._zod.optin === "optional") yield [`${place}.${name}`, name, field];
      yield* optionalFields(field, `${place}.${name}`, seen);
    }
  }
  if (schema instanceof z.ZodLazy) yield* optionalFields(schema._zod.innerType, place, seen);
  for (const inner of [
    def["innerType"],
    def["element"],
    def["in"],
    def["valueType"],
    ...((def["options"] as unknown[] | undefined) ?? []),
  ]) {
    if (inner instanceof z.core.$ZodType) yield* optionalFields(inner, place, seen);
  }
}

const bodies = Object.values<Route>(routes).flatMap(({ name, body }) => (body ? [[name, body] as const] : []));

describe("a null in a request body", () => {
  it("is accepted for every optional field of every route", () => {
    const fields = bodies.flatMap(([name, body]) => [...optionalFields(body, name)]);
    expect(fields.length).toBeGreaterThan(150);
    const refused = fields.filter(([, name, field]) => !parseBody(z.object({ [name]: field }), { [name]: null }).success);
    expect(refused.map(([place]) => place)).toEqual([]);
  });

  it("in the value of a flow is accepted by the schema itself, because the value is stored as it was sent", () => {
    const values = bodies.flatMap(([name, body]) => [...optionalFields(body, name)]).filter(([place]) => place.includes(".value.modules"));
    expect(values.filter(([, , field]) => !field.safeParse(null).success).map(([place]) => place)).toEqual([]);
  });

  const schema = z.object({
    a: z.string(),
    b: z.number().optional(),
    c: z.number().default(3),
    d: z.number().nullish(),
    e: z.array(z.union([z.object({ f: z.string().optional(), g: z.literal(1) }), z.object({ h: z.number() })])).optional(),
  });
  it("counts as absence only where the schema refuses it", () => {
    const sent = { a: "x", b: null, c: null, d: null, e: [{ f: null, g: 1 }] };
    expect(parseBody(schema, sent).data).toEqual({ a: "x", c: 3, d: null, e: [{ g: 1 }] });
    expect(sent.b).toBeNull();
    expect(parseBody(schema.optional(), null)).toMatchObject({ success: true });
  });

  it("is refused for required fields and elements of lists, and the refusal names the field as it was sent", () => {
    const issuesOf = (sent: unknown) => parseBody(schema, sent).error?.issues.map(({ path }) => path);
    expect(issuesOf({ a: null, b: null })).toEqual([["a"], ["b"]]);
    expect(issuesOf({ a: "x", e: [null] })).toEqual([["e", 0]]);
    expect(parseBody(schema, null).success).toBe(false);
  });
});
