import type { Runnable } from "../scripts/version.ts";
import type { WebhookEvent } from "./arguments.ts";

const EVENT = "event";

/** What a preprocessor is called with: the event, and those of the other arguments that it takes. A body cannot forge the event. */
export function preprocessorArguments(
  { params }: NonNullable<Runnable["preprocessor"]>,
  args: Record<string, unknown>,
  event: WebhookEvent,
): Record<string, unknown> {
  const taken = params ? Object.entries(args).filter(([name]) => params.includes(name)) : Object.entries(args);
  return Object.fromEntries([...taken, [EVENT, event]]);
}

/** The event apart from the other arguments: what came from outside stays as it came, references in it stand for nothing. */
export function splitEvent(args: Record<string, unknown>): { event: Record<string, unknown>; others: Record<string, unknown> } {
  const { [EVENT]: event, ...others } = args;
  return { event: { [EVENT]: event }, others };
}
