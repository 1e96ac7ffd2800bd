import { ROOT } from "../../../core/flows/scopes.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { findPlan } from "../definitions/load.ts";
import { computeStepJobId } from "../runtime/step-job-id.ts";

/** Finds the job of a flow's last step, once it exists. */
export async function findLastStep({ jobs, storage }: Uses<"jobs" | "storage">, { id, flow }: Job): Promise<Job | undefined> {
  const plan = await findPlan({ storage }, flow?.plan ?? "");
  const last = plan?.value.modules.at(-1);
  return last && jobs.get(computeStepJobId(id, last.id, ROOT, "", 0));
}
