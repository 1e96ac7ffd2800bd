import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import type { Outcome } from "../../../core/flows/journal.ts";
import type { EndedJob } from "../../../core/jobs/record/job.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import { createMasker } from "../../../core/secrets/mask.ts";
import { findMaskedSecrets } from "../../../core/secrets/masked-secrets.ts";
import { loadJson, storeValueOutsideHead } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import type { StepContext } from "./step-context.ts";

/** Stores a value under the flow's own job, and a redacted copy where the value contains a secret. Small values are part of the reference itself. */
export async function storeFlowValue(
  deps: Uses<"jobs" | "storage">,
  { flow, secrets }: Pick<StepContext, "flow" | "secrets">,
  value: unknown,
): Promise<ValueRef> {
  const store = async (part: unknown) => {
    const json = JSON.stringify(part ?? null);
    return Buffer.byteLength(json) <= limits.inlineBytes
      ? ({ in: "head", json } as const)
      : storeValueOutsideHead(deps, flow, "result", json);
  };
  const redacted = createMasker(secrets)?.value(value);
  const isRedacted = redacted !== undefined && JSON.stringify(redacted) !== JSON.stringify(value);
  return { jobId: flow.id, location: await store(value), ...(isRedacted ? { redacted: await store(redacted) } : {}) };
}

/** Loads a stored value, and adds the secrets in it to those of the step. */
export async function loadFlowValue(
  deps: Uses<"jobs" | "storage">,
  { secrets }: Pick<StepContext, "secrets">,
  { jobId, location, redacted }: ValueRef,
): Promise<unknown> {
  const value = (await loadJson(deps, { id: jobId }, location)) as unknown;
  if (redacted) findMaskedSecrets(value, await loadJson(deps, { id: jobId }, redacted), secrets);
  return value;
}

/** A reference to the result of a job. */
export const getResultRef = (job: EndedJob): ValueRef => ({
  jobId: job.id,
  location: job.result,
  ...defined({ redacted: job.redactedResult }),
});

/** Whether the failure module turns the failure of its list into success: its result, `{recover: true}`, is then the list's result. */
export async function recoversList(deps: Uses<"jobs" | "storage">, { state, result }: Outcome): Promise<boolean> {
  if (state === "failure") return false;
  const value = (await loadJson(deps, { id: result.jobId }, result.location)) as { recover?: unknown } | null;
  return value?.recover === true;
}
