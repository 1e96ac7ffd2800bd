import { parseExactJson } from "../../contract/json/exact-json.ts";
import type { Runnable } from "../scripts/version.ts";
import type { Arguments } from "./arguments.ts";

const EVENT = "event";

/** A preprocessor, with the arguments that it declares. `null`: it accepts any. */
export type Preprocessor = NonNullable<Runnable["preprocessor"]>;

/** Returns the arguments of a preprocessor: the event and the other arguments that it declares. A body cannot forge the event. */
export function buildPreprocessorArguments(
  { params }: Preprocessor,
  args: Record<string, unknown>,
  event: NonNullable<Arguments["event"]>,
): Record<string, unknown> {
  const taken = params ? Object.entries(args).filter(([name]) => params.includes(name)) : Object.entries(args);
  return Object.fromEntries([...taken, [EVENT, event]]);
}

/** Restores the body of an event, which is not transferred if it can be derived from the text. */
export function restoreEventBody(event: unknown): unknown {
  if (typeof event !== "object" || event === null || Object.hasOwn(event, "body")) return event;
  const { kind, raw_string: text, ...rest } = event as { kind?: unknown; raw_string?: unknown };
  // Events of other triggers have no body.
  if (kind !== "webhook" && kind !== "http") return event;
  let body: unknown = text;
  try {
    body = parseExactJson(String(text));
  } catch {
    // A text that is not JSON is the body itself.
  }
  return { kind, body, raw_string: text, ...rest };
}

/** Separates the event from the other arguments. References in the event are not resolved, because it comes from outside. */
export function splitEvent(args: Record<string, unknown>): { event: Record<string, unknown>; others: Record<string, unknown> } {
  const { [EVENT]: event, ...others } = args;
  return { event: { [EVENT]: event }, others };
}
