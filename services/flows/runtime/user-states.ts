import * as z from "zod";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { FlowStatus } from "../../../contract/routes/flows/flow-status.ts";
import { childPrefix, childRef } from "../../../core/jobs/lists/child-items.ts";
import { hasEnded, isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../../core/records/record-format.ts";
import type { Uses } from "../../uses.ts";

type UserStates = NonNullable<FlowStatus["user_states"]>;
/** A value of any shape. It is required: JSON text without it is no user state. */
const userStateFormat = recordFormat({
  schema: z.object({ value: z.custom<UserStates[string]>((value) => value !== undefined) }),
  version: 1,
});

/** The id of the flow's job: the job itself, or its parent for a step. Throws `job.notFound` for any other job. */
const flowIdOf = (job: Job): string => {
  if (isFlowJob(job)) return job.id;
  if (job.step && job.parent !== undefined) return job.parent;
  throw new SvcError("job.notFound", { id: job.id });
};

/** Sets a value that the scripts of a flow publish under a key. Throws `job.ended`, `body.tooLarge`, and `job.notFound` for a job outside of flows. */
export async function setUserState({ jobs }: Uses<"jobs">, job: Job, key: string, value: unknown): Promise<void> {
  if (hasEnded(job)) throw new SvcError("job.ended", { id: job.id, state: job.state });
  const json = JSON.stringify(value ?? null);
  if (Buffer.byteLength(json) > limits.userStateBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.userStateBytes, what: "value" });
  const parent = flowIdOf(job);
  const ref = childRef("userState", key);
  const states = await jobs.listChildren(parent, childPrefix.userState, limits.userStates);
  if (states.length >= limits.userStates && !states.some((each) => each.ref === ref)) {
    throw new SvcError("body.tooLarge", { limitBytes: limits.userStates * limits.userStateBytes, what: "user states of the flow" });
  }
  await jobs.putChild({
    parent,
    ref,
    json: userStateFormat.toJson({ value: (value ?? null) as UserStates[string] }),
    expiresAtS: Math.ceil(job.expiresAtMs / 1000),
  });
}

/** Returns the JSON text of one value; `null` if the key was never set. Throws `job.notFound`, and `UnreadableRecordError`. */
export async function getUserState({ jobs }: Uses<"jobs">, job: Job, key: string): Promise<string> {
  const record = await jobs.getChild(flowIdOf(job), childRef("userState", key));
  return JSON.stringify(record ? userStateFormat.parse(record).value : null);
}

/** Returns all readable values of a flow as a field of its status, or no field if there are none. */
export async function loadUserStates({ jobs }: Uses<"jobs">, { id }: Job): Promise<Pick<FlowStatus, "user_states">> {
  const found = await jobs.listChildren(id, childPrefix.userState, limits.userStates);
  if (found.length === 0) return {};
  // Without a prototype, because `__proto__` is an ordinary key.
  const states: UserStates = Object.create(null);
  for (const [{ ref }, { value }] of parseReadable(found, userStateFormat.parse)) states[ref.slice(childPrefix.userState.length)] = value;
  return { user_states: states };
}
