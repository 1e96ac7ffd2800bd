import type { TriggerCountsJson } from "../../contract/routes/stored/script.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { listRunTokens } from "../../services/identity/tokens/tokens.ts";
import { countSchedules } from "../../services/schedules/read.ts";
import { countTriggers, toTriggerCountsJson } from "../../services/triggers/count.ts";
import { deps } from "./deps.ts";

/** Counts everything that starts a script or a flow by itself: schedules, triggers, and the caller's tokens for its webhooks. */
export async function countStarters(
  { actor, workspace }: WorkspaceCaller,
  { path, isFlow }: { path: string; isFlow: boolean },
): Promise<TriggerCountsJson> {
  const [tokens, schedules, triggers] = await Promise.all([
    listRunTokens(deps, { actor, workspace }, { runs: isFlow ? "flows" : "scripts", path }),
    countSchedules(deps, workspace, { path, isFlow }),
    countTriggers(deps, workspace, { path, isFlow }),
  ]);
  return toTriggerCountsJson(triggers, { webhooks: tokens.length, schedules });
}
