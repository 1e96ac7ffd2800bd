import type { JobKind } from "../contract/job-kind.ts";
import type { Job } from "../core/jobs/record/job.ts";
import type { Ports } from "../ports/ports.ts";
import type { GatedFlows } from "./approvals/gates/gated-flows.ts";
import type { JobEndedListener } from "./execution/endings/end-and-notify.ts";
import type { JobClaimer } from "./execution/handle-job-message.ts";
import type { JobExecutor } from "./execution/run-job.ts";
import type { Evaluator } from "./flows/runtime/expressions/evaluator.ts";
import type { KeySetReader } from "./identity/tokens/issuer-keys.ts";
import type { JobCanceledListener } from "./jobs/cancel/cancel-job.ts";
import type { JobDataOwner } from "./jobs/erasure/job-data.ts";
import type { FollowUps } from "./jobs/lifecycle/follow-ups.ts";
import type { ItemIsolation } from "./maintenance/item-isolation.ts";

/** The collaborators of use cases: the ports, and the functions of later services that earlier services call. */
export interface Collaborators extends Ports {
  /** Decides and requests what follows the end of a job. */
  followUps: FollowUps;
  /** Starts the follow-ups of an ended job. */
  startFollowUps(job: string): Promise<void>;
  /** Continues an action on many jobs. */
  continueBulk(message: { id: string; workspace: string; person: string }): Promise<void>;
  /** Runs a claimed job by its kind. */
  executors: Readonly<Record<JobKind, JobExecutor>>;
  /** The first claim of a job that has a claimer, by the claimer's name. */
  claimers: Readonly<Record<string, JobClaimer>>;
  onJobEnded: readonly JobEndedListener[];
  onJobCanceled: readonly JobCanceledListener[];
  /** The data of jobs that other services store. */
  jobData: readonly JobDataOwner[];
  /** The flows that gates belong to. */
  gatedFlows: GatedFlows;
  /** Finds the job of a flow's last step, once it exists: a flow streams the output of that job. */
  findLastStep(flow: Job): Promise<Job | undefined>;
  /** Reads the public keys of an issuer of tokens, which a process remembers. */
  readKeySet: KeySetReader;
  /** The evaluator of the expressions of a step. */
  expressions: Evaluator;
  /** Keeps the failure of one item from the others of a task. */
  isolation: Pick<ItemIsolation, keyof ItemIsolation>;
}

/** The collaborators that a use case takes: `deps: Uses<"jobs" | "nowMs">`. */
export type Uses<Name extends keyof Collaborators> = Pick<Collaborators, Name>;
