import type { AccessRule } from "../../contract/access/access-rule.ts";
import { may } from "../../core/permissions/may.ts";
import type { Auth } from "../shared/domain-api.ts";

/** What a list shows: that which the caller may read one by one. */
export function seenBy({ actor }: Auth, access: AccessRule, workspace: string): (path: string) => boolean {
  return (path) => may(actor, access, { workspace, path });
}
