/** A constant or an expression, as a flow stores it. */
export type Transform = { readonly type: string; readonly [field: string]: unknown };

export type TransformMode = "static" | "javascript";

export const isTransform = (value: unknown): value is Transform =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

export const modeOf = (transform: Transform | undefined): TransformMode => (transform?.type === "javascript" ? "javascript" : "static");

/** The constants and expressions that switches have replaced, by flow, step and input. The draft of the flow contains them. */
const left = new Map<string, Transform>();

/** The constants and expressions that switches have replaced in one flow. */
export type Replaced = Readonly<Record<string, Transform>>;

/** Returns what switches have replaced in a flow. */
export const replacedIn = (flow: string): Replaced =>
  Object.fromEntries(
    [...left].flatMap(([key, transform]) => (key.startsWith(`${flow} `) ? [[key.slice(flow.length + 1), transform]] : [])),
  );

/** Takes over what switches have replaced in a flow before the page was opened. */
export function restoreReplaced(flow: string, replaced: Replaced): void {
  for (const [key, transform] of Object.entries(replaced)) if (isTransform(transform)) left.set(`${flow} ${key}`, transform);
}

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
