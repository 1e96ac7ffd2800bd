import { isSvcError } from "../../../contract/errors.ts";
import type { Approver } from "../../../core/approvals/authorize.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { personKey } from "../../../core/people/person.ts";
import type { Rights } from "../../../core/people/rights.ts";
import { buildRightsKeys, identifyActor } from "../../identity/identify.ts";
import type { Uses } from "../../uses.ts";

const memberField = (rights: Rights | undefined) => (rights ? { member: { groups: rights.groups, role: rights.role } } : {});

/** Returns the caller as an approver. A job also counts as the person who started it. */
export function approverFrom(actor: Actor | undefined, workspace: string): Approver {
  if (!actor) return { kind: "link" };
  const { kind, email, username, superAdmin, rights } = actor;
  const emails = [email, ...(actor.kind === "job" ? (actor.startedBy ?? []) : [])];
  return { kind, emails, username, superAdmin, ...memberField(rights?.workspace === workspace ? rights : undefined) };
}

/** Returns the current rights of a person who approved in advance. A person who no longer exists counts as the holder of a link. */
export async function loadApproverByEmail({ objects }: Uses<"objects">, email: string | undefined, workspace: string): Promise<Approver> {
  if (email === undefined) return { kind: "link" };
  try {
    const found = await objects.batchGet(buildRightsKeys(personKey(email), workspace), { consistent: true });
    const { username, superAdmin, rights } = identifyActor({ email, superAdmin: true, workspace }, found);
    return { kind: "person", emails: [email], username, superAdmin, ...memberField(rights) };
  } catch (error) {
    if (isSvcError(error) && error.code === "auth.invalid") return { kind: "link" };
    throw error;
  }
}
