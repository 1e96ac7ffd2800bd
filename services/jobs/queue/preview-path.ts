import { actions } from "../../../contract/access/actions.ts";
import { isRunnablePath } from "../../../contract/common.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may } from "../../../core/permissions/may.ts";

/**
 * Returns the path of a preview, or none if the caller may save neither a script nor a flow there: the code must not appear under the name of
 * other people's code in lists, pages, mails and records.
 */
export function findPreviewPath(actor: Actor, workspace: string, path: string | null | undefined): string | undefined {
  if (!path || !isRunnablePath(path)) return undefined;
  const maySave = [actions.saveScript, actions.saveFlow].some(({ access }) => may(actor, access, { workspace, path }));
  return maySave ? path : undefined;
}
