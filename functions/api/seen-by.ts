import { may } from "../../core/permissions/may.ts";
import type { Auth } from "./collaborators.ts";

/** What a list shows: that which the caller may read one by one. */
export function seenBy({ actor }: Auth, action: string, workspace: string): (path: string) => boolean {
  return (path) => may(actor, action, { workspace, path });
}
