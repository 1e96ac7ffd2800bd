import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { INSTANCE } from "../../contract/common.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { type MailRecipient, selectAddresses, selectRecipients } from "../../core/notifications/recipients.ts";
import { listPersons } from "../identity/users.ts";
import { listMembers, loadPersons } from "../workspaces/members.ts";

interface RecipientDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/**
 * Finds the e-mail addresses of the current approvers, or of other recipients. People who have left since the gate opened get no mail. The
 * admins of `INSTANCE` are the superadmins.
 */
export async function findRecipients(deps: RecipientDeps, { workspace, people }: Pick<GateNotice, "workspace" | "people">) {
  if (people.length === 0) return [];
  const addresses = selectAddresses(people);
  const [members, named] = await Promise.all([
    // A list of addresses needs no users of the instance, who may be many.
    workspace !== INSTANCE ? listMembers(deps, workspace) : addresses.length < people.length ? listSuperadmins(deps) : [],
    loadPersons(deps.objects, addresses),
  ]);
  const disabled = named.flatMap((person) => (person?.disabled ? [person.email] : []));
  return selectRecipients(people, members, new Set(disabled));
}

async function listSuperadmins({ objects }: RecipientDeps): Promise<MailRecipient[]> {
  const superadmins = (await listPersons({ objects })).filter(({ superAdmin }) => superAdmin);
  return superadmins.map(({ email, username, disabled = false }) => ({ email, username, is_admin: true, disabled }));
}
