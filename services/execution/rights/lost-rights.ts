import type { AccessRule } from "../../../contract/access/access-rule.ts";
import { actions } from "../../../contract/access/actions.ts";
import { limits } from "../../../contract/limits.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import type { Delegation } from "../../../core/jobs/record/fields.ts";
import { findDelegation, type Job } from "../../../core/jobs/record/job.ts";
import { type Ending, failedEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import { HANDLER_EMAIL } from "../../../core/outcome-handlers/handler.ts";
import { groupOf } from "../../../core/people/actor.ts";
import { personKey } from "../../../core/people/person.ts";
import { may } from "../../../core/permissions/may.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { buildRightsKeys, identifyIfEnabled } from "../../identity/identify.ts";
import type { Uses } from "../../uses.ts";

/** A user or group with whose rights a run acts, or who has started it. */
interface Party {
  name: string;
  email: string;
  superAdmin: boolean;
  permissionedAs: string;
  /** It does not need the right to run the path: an admin or the version has chosen it, or another user may run the path. */
  runsAnything?: true;
}

/** A condition for starting a run. */
interface Conditions {
  parties: Party[];
  right: { access: AccessRule; path?: string | undefined } | undefined;
  delegation: Delegation | undefined;
}

/** The time (epoch ms) at which this process last found conditions to be true. */
const heldAtMs = new Map<string, number>();
const MAX_HELD = 500;

/** The service builds each saved version, so the rights of its author do not matter. */
const isBuild = ({ kind, code }: Job) => (kind === "dependencies" || kind === "flowdependencies") && !code;

const isFresh = (atMs: number | undefined, nowMs: number) => atMs !== undefined && Math.abs(nowMs - atMs) < limits.rightsFreshMs;

/**
 * Returns the end of a run that may not begin or continue because its starter or the user for whom it acts has lost a right. Rights that were
 * read a moment ago are not read again.
 */
export async function findLostRight(deps: Uses<"objects" | "nowMs">, job: Job): Promise<Ending | undefined> {
  if (isBuild(job)) return undefined;
  const now = deps.nowMs();
  // Its starter was checked when the run was accepted, and a step's flow just before it began the step. The user for whom it acts was not
  // checked.
  if ((job.step || !findDelegation(job)) && isFresh(job.createdAtMs, now)) return undefined;
  if (isFresh(heldAtMs.get(nameConditions(job)), now)) return undefined;
  const lost = await readLostRight(deps, job);
  if (!lost) noteHeldRights(deps, job);
  return lost;
}

/** Notes that the rights of a job were read just now and suffice. */
export function noteHeldRights({ nowMs }: Uses<"nowMs">, job: Job): void {
  if (heldAtMs.size >= MAX_HELD) heldAtMs.clear();
  heldAtMs.set(nameConditions(job), nowMs());
}

const nameConditions = (job: Job) => JSON.stringify([job.workspace, listConditions(job)]);

/** Reads the current rights of a run, in one call, and returns the run's end if one is lost. */
export async function readLostRight({ objects }: Uses<"objects">, job: Job): Promise<Ending | undefined> {
  const { workspace, email } = job;
  const { parties, right, delegation } = listConditions(job);
  const keys = parties.map((party) => buildRightsKeys(personKey(party.email), workspace));
  const head = delegation && (delegation.kind === "flow" ? flowHeadObject : scriptHeadObject).key(workspace, delegation.path);
  const found = await objects.batchGet([...keys.flat(), ...(head ? [head] : [])], { consistent: true });
  for (const [index, party] of parties.entries()) {
    const { name, permissionedAs, runsAnything } = party;
    const identity = identifyIfEnabled({ ...party, workspace }, found.splice(0, keys[index]?.length));
    if (!identity?.rights && !identity?.superAdmin) {
      return lostRight(`${name} is disabled, or has no rights in this workspace any more. Start the run as another user.`);
    }
    if (!right || runsAnything) continue;
    const { access, path } = right;
    const actor = { ...identity, kind: "job" as const, jobId: job.id, attempt: job.attempt, workspace, permissionedAs };
    if (may(actor, access, { workspace, path })) continue;
    return lostRight(`${name} may no longer run ${path ?? "code that is not stored"}. Start the run again when this is allowed.`);
  }
  if (!delegation || delegatesTo(email, found[0])) return undefined;
  const { kind, path } = delegation;
  return lostRight(`The ${kind} ${path} no longer runs on behalf of ${job.permissionedAs}, or is archived. Run its newest version.`);
}

const lostRight = (message: string) => failedEnding({ name: "PermissionLost", message });

function listConditions(job: Job): Conditions {
  const { email, superAdmin, permissionedAs, createdBy, starter, origin, tree, path } = job;
  const delegation = findDelegation(job);
  // Admins choose the handlers of a workspace. The jobs that a handler starts are checked.
  const isHandler = groupOf(permissionedAs) !== undefined && tree === undefined;
  // The version at the path lets its runs act for a user, who does not need access to the path.
  const chosen = isHandler || starter !== undefined || (delegation && delegation.path === path) ? { runsAnything: true as const } : {};
  const asStarter = groupOf(createdBy) === undefined ? `u/${createdBy}` : createdBy;
  const parties: Party[] = [
    { name: permissionedAs, email, superAdmin, permissionedAs, ...chosen },
    ...(starter === undefined ? [] : [{ name: asStarter, email: starter, superAdmin: true, permissionedAs: asStarter }]),
    // It does not need the right to run a path that another user's run has started.
    ...(origin === undefined || origin === HANDLER_EMAIL
      ? []
      : [{ name: "The user who started the first run", email: origin, superAdmin: true, permissionedAs: "", runsAnything: true as const }]),
  ];
  return { parties, right: findRight(job), delegation };
}

/** Returns the right that running a job requires; `undefined` for a step of a flow that has no path. */
function findRight(job: Job): Conditions["right"] {
  const { kind, path, step, code } = job;
  if (kind === "flow") return { access: actions.runFlow.access, path };
  if (kind === "script" || kind === "singlestepflow") return { access: actions.runScript.access, path };
  if (kind === "flowscript") return step?.flow === undefined ? undefined : { access: actions.runFlow.access, path: step.flow };
  return code ? { access: actions.runPreview.access } : undefined;
}

/** Returns whether the newest version at a path lets its runs act for a user. */
function delegatesTo(email: string, head: StoredObject | undefined): boolean {
  if (!head) return false;
  const newest = scriptHeadObject.holds(head) ? scriptHeadObject.parse(head) : { ...flowHeadObject.parse(head), deleted: false };
  return !newest.archived && !newest.deleted && newest.onBehalfOf?.email === email;
}
