import { randomUUID } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { flowHeadObject, flowListingObject, flowVersionObject } from "../../../core/flows/version.ts";
import { requireVersion } from "../../../core/objects/version.ts";
import { unchangedSince, write } from "../../../core/objects/write.ts";
import type { ObjectTarget } from "../../objects/path-kind.ts";
import { buildEventWrites } from "../../outbox/event.ts";
import type { Uses } from "../../uses.ts";
import { parseFlow, requireNewestFlow } from "./load.ts";

/**
 * Sets whether the workspace's error handler ignores failures of the newest version of a flow. Throws `flow.notFound`, and `flow.changedMeanwhile`
 * if another version was saved at the same time.
 */
export async function muteFlowErrorHandler(
  deps: Uses<"objects" | "nowMs">,
  { actor, workspace, path, expected }: ObjectTarget,
  muted: boolean,
): Promise<void> {
  const { objects } = deps;
  const found = await objects.get(flowHeadObject.key(workspace, path));
  const { build: _, ...head } = requireNewestFlow(found, path);
  requireVersion(found ?? {}, { path, expected });
  const [version, listing] = await Promise.all([
    objects.get(flowVersionObject.key(workspace, head.version)).then(parseFlow),
    objects.get(flowListingObject.key(workspace, path)),
  ]);
  if (!version) throw new SvcError("flow.changedMeanwhile", { path });
  const { build: __, ...stored } = version;
  const isNewest = { version: String(head.version) };
  const refused = await objects.transactWrite([
    write.update({ ...flowHeadObject.key(workspace, path), value: { ...head, errorHandlerMuted: muted } }, isNewest),
    write.update({ ...flowVersionObject.key(workspace, head.version), value: { ...stored, errorHandlerMuted: muted } }, isNewest),
    ...(listing
      ? [
          write.put(
            { ...listing, value: { ...(listing.value as object), ws_error_handler_muted: muted }, version: randomUUID() },
            unchangedSince(listing),
          ),
        ]
      : []),
    ...(await buildEventWrites(deps, {
      type: "UpdateFlow",
      workspace,
      by: actor.username,
      atMs: deps.nowMs(),
      data: { path, version: head.version },
    })),
  ]);
  if (refused !== undefined) throw new SvcError("flow.changedMeanwhile", { path });
}
