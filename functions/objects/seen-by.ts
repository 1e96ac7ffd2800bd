import type { AccessRule } from "../../contract/access/access-rule.ts";
import { may } from "../../core/permissions/may.ts";
import type { Auth } from "../shared/domain-api.ts";

/** Returns the items of a list that the caller may read individually. */
export function seenBy({ actor }: Auth, access: AccessRule, workspace: string): (path: string) => boolean {
  return (path) => may(actor, access, { workspace, path });
}
