import fc from "fast-check";
import type { z } from "zod";
import { createSchema } from "zod-openapi";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { listNumbers, type NumberPlace } from "./number-edges.ts";
import type { Playground } from "./playground.ts";
import { type Schema, schemaValues } from "./schema-values.ts";

export const SEED = 20_130;

/** A route with the values that its callers may send. */
export interface Operation {
  route: Route;
  /** Path parts by name. Existing objects are more frequent than others. */
  params: fc.Arbitrary<Record<string, string>>;
  query: fc.Arbitrary<[string, string][]>;
  /** Only those parameters without which a call is invalid. */
  requiredQuery: fc.Arbitrary<[string, string][]>;
  queryNames: readonly string[];
  /** The numbers of the query by name. */
  queryNumbers: readonly NumberPlace[];
  /** The numbers at each place of the body. */
  bodyNumbers: readonly NumberPlace[];
  /** The bodies that the schema allows, or `undefined` for a route without a body. */
  body: fc.Arbitrary<unknown> | undefined;
  /** Bodies with hostile values in any place. */
  hostileBody: fc.Arbitrary<unknown> | undefined;
}

/** Operations that end the caller's token, its membership or the workspace, of which each call needs its own. */
const ENDING = [
  "auth.logout",
  "users.refreshToken",
  "users.leaveWorkspace",
  "users.overwriteGlobal",
  "users.updateGlobal",
  "workspaces.archive",
  "workspaces.delete",
];

export const endsCaller = ({ name }: Route): boolean => ENDING.includes(name);

/** Returns every route of the contract, so that a new one is covered by itself. */
export function listOperations({ known }: Playground, hostile: readonly unknown[]): Operation[] {
  return Object.values<Route>(routes).map((route) => {
    const query = route.query ? toSchema(route.query) : undefined;
    const body = route.body ? toSchema(route.body) : undefined;
    return {
      route,
      params: toParams(route, known),
      query: query ? toQuery(query) : fc.constant([]),
      requiredQuery: query ? toQuery({ ...query, schema: onlyRequired(query.schema) }) : fc.constant([]),
      queryNames: Object.keys(query?.schema.properties ?? {}),
      queryNumbers: query ? listNumbers(query.schema, query) : [],
      bodyNumbers: body ? listNumbers(body.schema, body) : [],
      body: body ? schemaValues(body.schema, body) : route.payload && route.method !== "GET" ? fc.jsonValue() : undefined,
      hostileBody: body ? schemaValues(body.schema, { ...body, hostile }) : undefined,
    };
  });
}

/** The input side of a Zod schema. */
function toSchema(schema: z.ZodType): { schema: Schema; components: Record<string, Schema> } {
  const made = createSchema(schema, { io: "input" });
  return { schema: made.schema as Schema, components: made.components as Record<string, Schema> };
}

const onlyRequired = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))),
});

const names = (path: string) => [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => name);

/** The playground's objects of one kind, by the paths of their routes and the part that identifies them. */
const KINDS: readonly (readonly [RegExp, string, readonly string[]])[] = [
  [/\/scripts\/|\/p\/\{path/, "path", ["f/t/script"]],
  [/\/flows\/|\/f\/\{path/, "path", ["f/t/flow"]],
  [/\/variables\//, "path", ["f/t/plain", "f/t/secret"]],
  [/\/resources\//, "path", ["f/t/resource"]],
  [/\/folders\//, "name", ["t"]],
  [/\/groups\//, "name", ["team"]],
  [/\/oauth\/(disconnect|refresh_token)\//, "id", ["1", "2", "3", "4", "5", "6"]],
];

function toParams({ path, params }: Route, known: Playground["known"]): Operation["params"] {
  const { schema, components } = params ? toSchema(params) : { schema: {} as Schema, components: {} };
  const part = (name: string) => {
    const any = schemaValues(schema.properties?.[name] ?? { type: "string" }, { components }).map((value) => String(value) || "-");
    if (name === "workspace") return fc.constantFrom(...(known["workspace"] ?? []));
    const listed = KINDS.find(([of, part]) => part === name && of.test(path))?.[2] ?? known[name];
    return listed ? fc.oneof({ arbitrary: fc.constantFrom(...listed), weight: 3 }, { arbitrary: any, weight: 2 }) : any;
  };
  return fc.record(Object.fromEntries(names(path).map((name) => [name, part(name)])));
}

const toQuery = ({ schema, components }: { schema: Schema; components: Record<string, Schema> }): Operation["query"] =>
  schemaValues(schema, { components }).map((value) =>
    Object.entries(value as object).map(([name, one]): [string, string] => [
      name,
      typeof one === "object" ? JSON.stringify(one) : String(one),
    ]),
  );

/** Returns the path of a route with these parts, encoded as clients encode them. A greedy part retains its slashes. */
export function fillPath({ path }: Route, params: Readonly<Record<string, string>>, raw: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)(\+?)\}/g, (_, name: string, greedy: string) => {
    if (raw[name] !== undefined) return raw[name];
    const value = params[name] ?? "";
    return greedy ? value.split("/").map(encode).join("/") : encode(value);
  });
}

/** A lone surrogate has no encoding and stays. */
const encode = (value: string) => (value.isWellFormed() ? encodeURIComponent(value) : value);

/** Returns values of an arbitrary, the same in each run. */
export const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number, offset = 0): T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: SEED + offset });
