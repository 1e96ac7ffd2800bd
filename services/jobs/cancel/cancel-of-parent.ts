import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";

/** Returns the reason for which a step of a flow must no longer run, or `undefined` while its flow runs, and for a job that is not a step. */
export async function cancelOfParent(
  { jobs }: Uses<"jobs">,
  { step, parent }: Pick<Job, "step" | "parent">,
): Promise<{ by: string; reason: string } | undefined> {
  if (!step || parent === undefined) return undefined;
  const flow = await jobs.get(parent);
  if (flow?.state === "running" && !flow.cancel) return undefined;
  return flow?.cancel ?? { by: "svc", reason: "its flow has ended" };
}
