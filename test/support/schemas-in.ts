import * as z from "zod";

/** The parts of a definition that contain other schemas. */
const PARTS = ["innerType", "element", "valueType", "keyType", "left", "right", "in", "out", "catchall", "rest"];
interface Found {
  at: string;
  schema: z.core.$ZodType;
}

/** Lists every schema inside of another one, with its place. */
export function* schemasIn(schema: z.core.$ZodType, at: string, seen = new Set<z.core.$ZodType>()): Generator<Found> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield { at, schema };
  const def = schema._zod.def as unknown as Record<string, unknown>;
  if (schema instanceof z.ZodLazy) yield* schemasIn(schema._zod.innerType, at, seen);
  if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) yield* schemasIn(field as z.core.$ZodType, `${at}.${name}`, seen);
  }
  for (const part of PARTS) if (def[part] instanceof z.core.$ZodType) yield* schemasIn(def[part], at, seen);
  for (const list of ["options", "items"]) {
    for (const one of (def[list] as z.core.$ZodType[] | undefined) ?? []) yield* schemasIn(one, at, seen);
  }
}

/** Returns the fields of a request's body by name, also of one that combines several schemas. */
export function fieldsOfBody(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.core.$ZodType>;
  const def = schema._zod.def as unknown as Record<string, unknown>;
  const parts = PARTS.flatMap((part) => (def[part] instanceof z.core.$ZodType ? [def[part]] : []));
  return Object.assign({}, ...parts.map(fieldsOfBody)) as Record<string, z.core.$ZodType>;
}

/** Returns whether a schema accepts values of any form in some part of it. */
export function isOpen(schema: z.core.$ZodType): boolean {
  return [...schemasIn(schema, "")].some(({ schema: each }) => {
    const { type, catchall } = each._zod.def as { type: string; catchall?: z.core.$ZodType };
    return (
      ["any", "unknown", "custom", "record"].includes(type) ||
      (type === "object" && catchall !== undefined && catchall._zod.def.type !== "never")
    );
  });
}
