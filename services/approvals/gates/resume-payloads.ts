import { listApproverNames, toGateError } from "../../../core/approvals/gate.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { loadGate } from "./change-gate.ts";

/** The payloads of a step's approvals, for the next step. */
interface ResumePayloads {
  /** The last payload, or the error if the gate was not passed. */
  resume: unknown;
  /** All payloads in the order of arrival, then the error. */
  resumes: unknown[];
  approvers: string[];
}
export const NO_RESUME_PAYLOADS: ResumePayloads = { resume: null, resumes: [], approvers: [] };

/** Loads the payloads of a step's approvals for the next step. */
export async function loadResumePayloads(deps: Uses<"jobs" | "storage">, id: string): Promise<ResumePayloads> {
  const gate = await loadGate(deps, id);
  if (!gate) return NO_RESUME_PAYLOADS;
  const { events, decision } = gate;
  const refs = [...events.map(({ payload }) => payload), ...(decision?.payload ? [decision.payload] : [])];
  const payloads = await Promise.all(refs.map(async ({ jobId, location }) => (await loadJson(deps, { id: jobId }, location)) as unknown));
  const error = toGateError(gate);
  const resumes = error ? [...payloads, { error }] : payloads;
  return { resume: resumes.at(-1) ?? null, resumes, approvers: listApproverNames(gate) };
}
