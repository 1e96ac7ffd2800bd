import { approvalJobData } from "../../../services/approvals/gates/remove-gates.ts";
import { flowJobData } from "../../../services/flows/lifecycle/erase.ts";
import type { JobDataOwner } from "../../../services/jobs/erasure/job-data.ts";

/** The domains that store data with jobs. Steps are erased before the gates and the journal of their flow. */
export const jobData: readonly JobDataOwner[] = [flowJobData, approvalJobData];
