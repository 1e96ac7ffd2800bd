import { type AccessPath, type Approver, authorize, type Verdict } from "../../../core/approvals/authorize.ts";
import type { Gate } from "../../../core/approvals/gate.ts";
import { dropReplacedPrincipals } from "../../../core/approvals/principals.ts";
import type { GateRules } from "../../../core/approvals/rules.ts";
import { getRunStarter, type Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { loadPrincipalIdentities } from "../gates/principals.ts";

interface Decidable {
  rules: GateRules;
  gate: Pick<Gate, "workspace">;
  flow: Job;
}

/**
 * Returns whether a caller may decide now. A rule applies to the groups and users that existed when the gate opened: a group that was deleted and
 * created again, or a username that now belongs to another person, does not count.
 */
export async function authorizeDecision(
  deps: Uses<"objects">,
  { rules, gate, flow }: Decidable,
  who: Approver,
  accessPath: AccessPath,
): Promise<Verdict> {
  const starter = getRunStarter(flow);
  const verdict = authorize({ rules, starter }, who, accessPath);
  // Only a caller who matches the rules by name needs the reads.
  if (verdict !== "yes" || !rules.people || !rules.identities) return verdict;
  const current = await loadPrincipalIdentities(deps, gate.workspace, rules.people);
  return authorize({ rules: dropReplacedPrincipals(rules, current), starter }, who, accessPath);
}
