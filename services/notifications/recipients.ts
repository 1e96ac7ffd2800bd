import { INSTANCE } from "../../contract/common.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { type MailRecipient, selectAddresses, selectRecipients } from "../../core/notifications/recipients.ts";
import { personKey } from "../../core/people/person.ts";
import { memberObject } from "../../core/permissions/access.ts";
import { listPersons } from "../identity/users.ts";
import type { Uses } from "../uses.ts";
import { listMembers, loadPersons } from "../workspaces/members.ts";

/**
 * Finds the e-mail addresses of the current approvers, or of other recipients. People who have left since the gate opened get no mail. The
 * admins of `INSTANCE` are the superadmins.
 */
export async function findRecipients(deps: Uses<"objects">, { workspace, people }: Pick<GateNotice, "workspace" | "people">) {
  if (people.length === 0) return [];
  const addresses = selectAddresses(people);
  const [members, named] = await Promise.all([
    // A list of addresses needs no read of the instance's users, who may be many.
    workspace !== INSTANCE
      ? listMembers(deps, { actor: undefined, workspace })
      : addresses.length < people.length
        ? listSuperadmins(deps)
        : [],
    loadPersons(deps.objects, addresses),
  ]);
  const disabled = named.flatMap((person) => (person?.disabled ? [person.email] : []));
  return selectRecipients(people, members, new Set(disabled));
}

/** Finds the address of the person who started the run of a notice, if that person is still a member of the workspace or a superadmin. */
export async function findStarter({ objects }: Uses<"objects">, { workspace, starter }: Pick<GateNotice, "workspace" | "starter">) {
  if (starter === undefined) return [];
  const [[person], [stored]] = await Promise.all([
    loadPersons(objects, [starter]),
    objects.batchGet([memberObject.key(workspace, personKey(starter))], { consistent: true }),
  ]);
  const member = stored && memberObject.parse(stored);
  const mayKnow = member ? !member.disabled : person?.superAdmin === true;
  return mayKnow && person?.disabled !== true ? [starter] : [];
}

async function listSuperadmins({ objects }: Uses<"objects">): Promise<MailRecipient[]> {
  const superadmins = (await listPersons({ objects })).filter(({ superAdmin }) => superAdmin);
  return superadmins.map(({ email, username, disabled = false }) => ({ email, username, is_admin: true, disabled }));
}
