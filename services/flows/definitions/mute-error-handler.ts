import { flowListingObject, flowVersionObject } from "../../../core/flows/version.ts";
import { write } from "../../../core/objects/write.ts";
import { buildListingParts } from "../../objects/listing.ts";
import type { ObjectTarget } from "../../objects/path-kind.ts";
import { changeObject } from "../../objects/save-object.ts";
import type { Uses } from "../../uses.ts";
import { flowKind, parseFlow } from "./load.ts";

/**
 * Sets whether the workspace's error handler ignores failures of the newest version of a flow. Throws `flow.notFound`, and `flow.changedMeanwhile`
 * if another version was saved at the same time.
 */
export async function muteFlowErrorHandler(deps: Uses<"objects" | "nowMs">, target: ObjectTarget, muted: boolean): Promise<void> {
  const { workspace, path } = target;
  await changeObject(deps, flowKind, target, async () => async (head) => {
    const [version, listing] = await Promise.all([
      deps.objects.get(flowVersionObject.key(workspace, head.version)).then(parseFlow),
      deps.objects.get(flowListingObject.key(workspace, path)),
    ]);
    if (!version) throw flowKind.changed(path);
    const { build: _, ...stored } = version;
    const item = { ...flowVersionObject.key(workspace, head.version), value: { ...stored, errorHandlerMuted: muted } };
    return {
      value: { ...head, errorHandlerMuted: muted },
      version: "kept",
      parts: [
        { write: write.update(item, { version: String(head.version) }), refused: undefined },
        ...buildListingParts(listing, { ws_error_handler_muted: muted }),
      ],
      event: { type: "UpdateFlow", data: { path, version: head.version } },
      sent: undefined,
    };
  });
}
