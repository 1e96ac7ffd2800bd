import * as z from "zod";

/** Changes when the names or the meaning of the fields in a state machine's state change. */
export const STATE_VERSION = 1;

/** The state that travels through a state machine. It holds only pointers, so that it stays small however large the values of a flow are. */
export const stepStateSchema = z.object({
  version: z.literal(STATE_VERSION),
  workspace: z.string(),
  /** The flow's job, and the number of its execution. */
  job: z.string(),
  execution: z.number(),
  /** The approximate number of events in the execution's history. */
  events: z.number(),
  /** The index of each enclosing loop (core/flows/journal.ts). */
  path: z.string(),
  /** The transition that the Choice state after a task selects. */
  outcome: z.string().optional(),
  /** The delay in seconds. */
  seconds: z.number().optional(),
  /** In a segment that waits: the module that waits, and its list. */
  module: z.string().optional(),
  scope: z.string().optional(),
  /** The iterations of one round of a parallel loop. */
  indices: z.array(z.string()).optional(),
  /** The number of iterations of that round that run at once. */
  width: z.number().optional(),
});
export type StepState = z.infer<typeof stepStateSchema>;

const moduleCallSchema = z.object({
  module: z.string(),
  scope: z.string(),
  state: stepStateSchema,
  token: z.string().optional(),
  /** The Map state of the loop limits how many iterations run at once. */
  window: z.literal("sliding").optional(),
  /** The Choice state after the task of parallel branches supports the outcome `again`. */
  continues: z.literal("again").optional(),
});
export type ModuleCall = z.infer<typeof moduleCallSchema>;
const segmentCallSchema = z.object({ segment: z.string(), until: z.string(), scope: z.string(), state: stepStateSchema });
export type SegmentCall = z.infer<typeof segmentCallSchema>;
const finishCallSchema = z.object({ finish: z.literal("flow"), state: stepStateSchema });

const stepCallSchema = z.union([moduleCallSchema, segmentCallSchema, finishCallSchema]);
/** A call of function `step`: one module of a list, a segment of neighbouring modules from `segment` to `until`, or the end of the flow. */
export type StepCall = z.infer<typeof stepCallSchema>;

/** Parses the payload of a call of function `step`. If another release started the execution, throws an error that names the execution's job. */
export function parseStepCall(payload: unknown): StepCall {
  const call = stepCallSchema.safeParse(payload);
  if (call.success) return call.data;
  const { version, job } = ((payload as { state?: unknown } | null)?.state ?? {}) as { version?: unknown; job?: unknown };
  if (version === STATE_VERSION) throw new Error(`The call of a step is invalid: ${call.error.message}`);
  throw new Error(`The state of the execution of job ${String(job)} was written by another release of svc. Restart the flow.`);
}
