import { buildMachinePrefix } from "../../../contract/deployment/stack-names.ts";
import { limits } from "../../../contract/limits.ts";
import { buildStackTag } from "../../../statemachines/machine-name.ts";
import type { Uses } from "../../uses.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The number of machines that are checked in one hour. Each takes two or three calls of Step Functions, which are free. */
const AT_ONCE = 20;

/**
 * Deletes, once an hour, state machines of this stack that have not run for `limits.machineIdleMs`, and returns their number. The next run of
 * their flow creates them again (`lifecycle/start.ts`). A machine whose check fails is skipped.
 */
export async function deleteIdleMachines(
  { stateMachines, stack, isolation, nowMs }: Uses<"isolation" | "stateMachines" | "nowMs" | "stack">,
  untilMs: number,
): Promise<number> {
  const now = nowMs();
  if (now % HOUR_MS >= MINUTE_MS) return 0;
  return stateMachines.deleteIdleStateMachines(
    buildMachinePrefix(stack),
    buildStackTag(stack),
    now - limits.machineIdleMs,
    (all) => selectHourlyShare(all, Math.floor(now / HOUR_MS)),
    async (arn, work) => {
      if (Date.now() >= untilMs) return undefined;
      const attempt = await isolation.attempt("removeIdleMachines", arn, work);
      return attempt.ok && attempt.value;
    },
  );
}

/** Returns another part of the list each hour, so that every element is covered without stored state. */
export function selectHourlyShare<T>(all: T[], hour: number): T[] {
  const parts = Math.max(1, Math.ceil(all.length / AT_ONCE));
  return all.filter((_, index) => index % parts === hour % parts);
}
