import * as z from "zod";

/** What travels through a state machine: pointers alone, so that no state grows. */
export const stepStateSchema = z.object({
  /** Workspace, job, and the number of the execution. */
  w: z.string(),
  j: z.string(),
  n: z.number(),
  /** About how many events the execution's history has. */
  e: z.number(),
  /** The index of each loop around this place. */
  at: z.string(),
  /** What the last step that is followed by a choice has answered, and with it seconds to wait or what to add to `at` for each iteration of a round. */
  o: z.string().optional(),
  s: z.number().optional(),
  /** In a segment that waits: the module that does, and its list. */
  m: z.string().optional(),
  c: z.string().optional(),
  list: z.array(z.string()).optional(),
});
export type StepState = z.infer<typeof stepStateSchema>;

const moduleCallSchema = z.object({ module: z.string(), scope: z.string(), state: stepStateSchema, token: z.string().optional() });
export type ModuleCall = z.infer<typeof moduleCallSchema>;
const segmentCallSchema = z.object({ segment: z.string(), until: z.string(), scope: z.string(), state: stepStateSchema });
export type SegmentCall = z.infer<typeof segmentCallSchema>;

/** What function `step` is called with: a module in a list of modules, several of one list from a first to a last one, or the end of the flow. */
export const stepCallSchema = z.union([
  moduleCallSchema,
  segmentCallSchema,
  z.object({ finish: z.literal("flow"), state: stepStateSchema }),
]);
export type StepCall = z.infer<typeof stepCallSchema>;
