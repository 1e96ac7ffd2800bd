import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { selectAddresses, selectRecipients } from "../../core/notifications/recipients.ts";
import { listMembers, loadPersons } from "../workspaces/members.ts";

interface RecipientDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Finds the e-mail addresses of the current approvers. People who have left since the gate opened get no mail. */
export async function findRecipients(deps: RecipientDeps, { workspace, people }: Pick<GateNotice, "workspace" | "people">) {
  if (people.length === 0) return [];
  const [members, named] = await Promise.all([listMembers(deps, workspace), loadPersons(deps.objects, selectAddresses(people))]);
  const disabled = named.flatMap((person) => (person?.disabled ? [person.email] : []));
  return selectRecipients(people, members, new Set(disabled));
}
