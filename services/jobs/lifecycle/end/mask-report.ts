import { parseExactJson } from "../../../../contract/json/exact-json.ts";
import type { Masker } from "../../../../core/secrets/mask.ts";
import type { RunOutcome } from "../../../../runners/protocol.ts";
import type { OutputChunk } from "../../values/values.ts";

export type MaskedOutcome = RunOutcome & { logs: OutputChunk };

/** Masks the secrets in a run's report, except in its result, which the next step needs. */
export function maskOutcome(masker: Masker | undefined, outcome: RunOutcome): MaskedOutcome {
  if (!masker) return outcome;
  const { logs, error, preprocessed } = outcome;
  return {
    ...outcome,
    logs: { offset: logs.offset, text: masker.chunk(logs.text), bytes: Buffer.byteLength(logs.text) },
    ...(error ? { error: masker.value(error) as typeof error } : {}),
    // People read these arguments, and a preprocessor may have added a secret.
    ...(preprocessed ? { preprocessed: masker.value(preprocessed) as typeof preprocessed } : {}),
  };
}

/** Returns the JSON text of a result without secrets; `undefined` if the result contains none. */
export function redactResult(masker: Masker, resultJson: string): string | undefined {
  const redacted = JSON.stringify(masker.value(parseExactJson(resultJson)));
  return redacted === resultJson ? undefined : redacted;
}
