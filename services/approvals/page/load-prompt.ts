import { defined } from "../../../contract/defined.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import type { Gate } from "../../../core/approvals/gate.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";

/** The fields that a step may return for its approvers (spec §2.6). */
interface Prompt {
  default_args?: Record<string, unknown>;
  enums?: Record<string, string[]>;
  description?: unknown;
}

/** A prompt is text, tables and small pictures; a larger result is not meant for approvers. */
const PROMPT_BYTES = 1024 * 1024;

/** Loads the prompt that a step's result contains; empty if the result is larger than `PROMPT_BYTES` or has no prompt. */
export async function loadPrompt(deps: Uses<"jobs" | "storage">, { gate, module }: { gate: Gate; module: FlowModule }): Promise<Prompt> {
  if (!gate.opened || module.value.type === "consentgate") return {};
  const { jobId, location, redacted = location } = gate.opened.result;
  if (redacted.in === "s3" && (redacted.bytes ?? 0) > PROMPT_BYTES) return {};
  const value = (await loadJson(deps, { id: jobId }, redacted)) as unknown;
  if (!isJsonObject(value)) return {};
  const { default_args, enums, description } = value;
  return {
    ...(isJsonObject(default_args) ? { default_args } : {}),
    ...(isJsonObject(enums) ? { enums: toChoices(enums) } : {}),
    ...defined({ description }),
  };
}

function toChoices(enums: Record<string, unknown>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(enums).flatMap(([field, choices]) => (Array.isArray(choices) ? [[field, choices.map(String)] as const] : [])),
  );
}
