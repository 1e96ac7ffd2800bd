import { isJsonObject } from "../../../contract/json/json-object.ts";
import { kindsWith } from "../../../contract/kinds/kinds.ts";
import { fieldsOf, type SyncItem } from "../item.ts";

/** The kinds of items whose runs have the rights of the user who saved them, and whose files do not name that user. Scripts and flows name theirs. */
export const kindsWithIdentity: readonly string[] = kindsWith("hasIdentity");

/** Adds the user with whose rights an item runs. Otherwise the item would run with the rights of the person who restores it. */
export function addIdentity(item: SyncItem, user: string): SyncItem {
  const fields = fieldsOf(item);
  if (item.kind !== "app") return { ...item, value: { ...fields, permissioned_as: user, preserve_permissioned_as: true } };
  const policy = isJsonObject(fields["policy"]) ? fields["policy"] : {};
  return { ...item, value: { ...fields, policy: { ...policy, on_behalf_of_email: user }, preserve_on_behalf_of: true } };
}
