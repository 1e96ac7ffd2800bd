import type { StateMachines } from "../../../aws/stepfunctions/state-machines.ts";
import { limits } from "../../../contract/limits.ts";
import { buildMachinePrefix, buildStackTag } from "../../../statemachines/machine-name.ts";

export interface IdleMachineDeps {
  stateMachines: Pick<StateMachines, "removeIdle">;
  /** The stack's name. */
  stack: string;
  nowMs: () => number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** So many machines are looked at in one hour, each by two or three calls of Step Functions that cost nothing. */
const AT_ONCE = 20;

/**
 * Once an hour: deletes state machines of this stack that nothing has run for long. Whoever runs their flow makes them again (start.ts). Answers how many
 * are gone.
 */
export async function deleteIdleMachines({ stateMachines, stack, nowMs }: IdleMachineDeps, untilMs: number): Promise<number> {
  const now = nowMs();
  if (now % HOUR_MS >= MINUTE_MS) return 0;
  return stateMachines.removeIdle(
    buildMachinePrefix(),
    buildStackTag(stack),
    now - limits.machineIdleMs,
    (all) => selectHourlyShare(all, Math.floor(now / HOUR_MS)),
    () => Date.now() < untilMs,
  );
}

/** Another part each hour, so that all have their turn without a note of who had it. */
export function selectHourlyShare<T>(all: T[], hour: number): T[] {
  const parts = Math.max(1, Math.ceil(all.length / AT_ONCE));
  return all.filter((_, index) => index % parts === hour % parts);
}
