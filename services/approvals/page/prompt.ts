import type { Kept } from "../../../core/flows/journal.ts";
import { type Keeping, load } from "../../jobs/values/values.ts";
import type { Asked } from "../gates/find-approval-request.ts";

/** What a step may return for who decides (spec §2.6). */
interface Prompt {
  default_args?: Record<string, unknown>;
  enums?: Record<string, string[]>;
  description?: unknown;
}

/** A prompt is text, tables and small pictures; what is larger is a result that nobody meant to be shown. */
const PROMPT_BYTES = 1024 * 1024;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export async function promptOf(keeping: Keeping, { gate, module }: Pick<Asked, "gate" | "module">): Promise<Prompt> {
  if (!gate.opened || module.value.type === "consentgate") return {};
  const { of, place, shown } = gate.opened.result as Kept;
  const said = shown ?? place;
  if (said.in === "s3" && (said.bytes ?? 0) > PROMPT_BYTES) return {};
  const value = JSON.parse(await load(keeping, { id: of }, said)) as unknown;
  if (!isObject(value)) return {};
  const { default_args, enums, description } = value;
  return {
    ...(isObject(default_args) ? { default_args } : {}),
    ...(isObject(enums) ? { enums: choicesIn(enums) } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

function choicesIn(enums: Record<string, unknown>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(enums).flatMap(([field, choices]) => (Array.isArray(choices) ? [[field, choices.map(String)] as const] : [])),
  );
}
