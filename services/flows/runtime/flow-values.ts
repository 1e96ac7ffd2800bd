import { limits } from "../../../contract/limits.ts";
import type { Outcome } from "../../../core/flows/journal.ts";
import type { EndedJob } from "../../../core/jobs/job.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import { createMasker } from "../../../core/secrets/mask.ts";
import { findMaskedSecrets } from "../../../core/secrets/masked-secrets.ts";
import { loadValue, storeValueOutsideHead, type ValueDeps } from "../../jobs/values/values.ts";
import type { StepContext } from "./step-context.ts";

/** Stores a value under the flow's own job, and a redacted copy where the value contains a secret. Small values are part of the reference itself. */
export async function storeFlowValue(
  deps: ValueDeps,
  { flow, secrets }: Pick<StepContext, "flow" | "secrets">,
  value: unknown,
): Promise<ValueRef> {
  const store = async (part: unknown) => {
    const json = JSON.stringify(part ?? null);
    return Buffer.byteLength(json) <= limits.inlineBytes ? ({ in: "head", json } as const) : storeValueOutsideHead(deps, flow, "end", json);
  };
  const redacted = createMasker(secrets)?.value(value);
  const isRedacted = redacted !== undefined && JSON.stringify(redacted) !== JSON.stringify(value);
  return { of: flow.id, place: await store(value), ...(isRedacted ? { shown: await store(redacted) } : {}) };
}

/** Loads a stored value, and adds the secrets in it to those of the step. */
export async function loadFlowValue(
  deps: ValueDeps,
  { secrets }: Pick<StepContext, "secrets">,
  { of, place, shown }: ValueRef,
): Promise<unknown> {
  const value = JSON.parse(await loadValue(deps, { id: of }, place)) as unknown;
  if (shown) findMaskedSecrets(value, JSON.parse(await loadValue(deps, { id: of }, shown)), secrets);
  return value;
}

/** A reference to the result of a job. */
export const resultRefOf = (job: EndedJob): ValueRef => ({
  of: job.id,
  place: job.result,
  ...(job.shown ? { shown: job.shown } : {}),
});

/** Whether the failure module turns the failure of its list into success: its result, `{recover: true}`, is then the list's result. */
export async function recoversList(deps: ValueDeps, { state, result }: Outcome): Promise<boolean> {
  if (state === "failure") return false;
  const value = JSON.parse(await loadValue(deps, { id: result.of }, result.place)) as { recover?: unknown } | null;
  return value?.recover === true;
}
