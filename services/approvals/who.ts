import { isSvcError } from "../../contract/errors.ts";
import type { Decider } from "../../core/approvals/authorize.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { identify, rightsKeys } from "../identity/identify.ts";
import type { Gating } from "./gates.ts";

/** A caller as one who decides. A job counts as who started it as well. */
export async function deciderOf({ jobs }: Pick<Gating, "jobs">, actor: Actor | undefined, workspace: string): Promise<Decider> {
  if (!actor) return { kind: "link" };
  const { email, username, superAdmin, rights } = actor;
  const job = actor.kind === "job" ? await jobs.get(actor.jobId) : undefined;
  const member = rights?.workspace === workspace ? { groups: rights.groups, role: rights.role } : undefined;
  const emails = [email, ...[job?.starter, job?.origin].flatMap((each) => each ?? [])];
  return { kind: actor.kind, emails, username, superAdmin, ...(member ? { member } : {}) };
}

/** Somebody who decided before it was asked, as what they are now; a link where they are nobody any more. */
export async function deciderNow({ objects }: Pick<Gating, "objects">, email: string | undefined, workspace: string): Promise<Decider> {
  if (email === undefined) return { kind: "link" };
  try {
    const found = await objects.getMany(rightsKeys(personKey(email), workspace), { consistent: true });
    const { username, superAdmin, rights } = await identify(objects, email, true, workspace, found);
    const member = rights ? { groups: rights.groups, role: rights.role } : undefined;
    return { kind: "person", emails: [email], username, superAdmin, ...(member ? { member } : {}) };
  } catch (error) {
    if (isSvcError(error) && error.code === "auth.invalid") return { kind: "link" };
    throw error;
  }
}
