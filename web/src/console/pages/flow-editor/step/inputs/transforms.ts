/** A constant or an expression, as a flow stores it. */
export type Transform = { readonly type: string; readonly [field: string]: unknown };

export type TransformMode = "static" | "javascript";

export const isTransform = (value: unknown): value is Transform =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

export const modeOf = (transform: Transform | undefined): TransformMode => (transform?.type === "javascript" ? "javascript" : "static");

/** The constants and expressions that switches have replaced, by flow, step and input. The page keeps them until it is closed. */
const left = new Map<string, Transform>();

/** Switches an input to the other mode. Switching back restores the present value. */
export function switchMode(key: string, transform: Transform | undefined, mode: TransformMode): Transform {
  if (transform && modeOf(transform) === mode && (transform.type === "static" || transform.type === "javascript")) return transform;
  if (transform) left.set(`${key} ${transform.type}`, transform);
  return left.get(`${key} ${mode}`) ?? (mode === "static" ? { type: "static" } : { type: "javascript", expr: "" });
}

type Transforms = Readonly<Record<string, unknown>>;

/** Returns the names of the inputs: those of the schema first, in their order, then others that the step passes. */
export function listInputs(schemaNames: readonly string[], transforms: Transforms): string[] {
  return [...schemaNames, ...Object.keys(transforms).filter((name) => !schemaNames.includes(name))];
}

/** Returns the constants of the inputs, and the values that `read` finds for expressions. Inputs without a value are absent. */
export function toArguments(transforms: Transforms, read: (expression: string) => { value: unknown } | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(transforms).flatMap(([name, transform]): [string, unknown][] => {
      if (!isTransform(transform)) return [];
      if (transform.type === "static") return "value" in transform ? [[name, transform["value"]]] : [];
      const found = transform.type === "javascript" ? read(String(transform["expr"] ?? "")) : undefined;
      return found === undefined ? [] : [[name, found.value]];
    }),
  );
}
