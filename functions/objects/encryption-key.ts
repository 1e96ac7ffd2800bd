import type { Context } from "aws-lambda";
import { keyRotationRoutes as rotation } from "../../contract/routes/workspaces/key-rotation.ts";
import { workspaceRoutes as routes } from "../../contract/routes/workspaces/workspaces.ts";
import { rotationCallSchema } from "../../core/secrets/key-ring.ts";
import { readExportKey } from "../../services/secrets/read-export-key.ts";
import { type ApiRoutes, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { logInvocation } from "../shared/observe.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** The key of a workspace's secrets. It is here because this is the only API function that may decrypt them. */
export const encryptionKey: ApiRoutes = [
  on(routes.getEncryptionKey, async ({ auth, params: { workspace } }) =>
    json(200, { key: await readExportKey(deps, secretReader(auth, workspace, routes.getEncryptionKey)) }),
  ),
  on(routes.setEncryptionKey, async ({ auth: { actor }, params: { workspace }, body }) => {
    // Loaded on first use: a key is rarely replaced, and the function starts faster without this code.
    const { rotateWorkspaceKey } = await import("../../services/secrets/rotate-workspace-key.ts");
    const reseal = !body.skip_reencrypt;
    const { done, total, unreadable, hasEnded } = await rotateWorkspaceKey(deps, { actor, workspace }, body.new_key, { reseal });
    if (!reseal) return text(200, "The key was replaced.");
    return text(
      200,
      hasEnded
        ? `The key was replaced, and ${total - unreadable} secrets were re-encrypted.${unreadable > 0 ? ` ${unreadable} could not be decrypted: GET variables/key_rotation lists them.` : ""}`
        : `The key was replaced, and ${done} of ${total} secrets were re-encrypted. The service re-encrypts the others: GET variables/key_rotation shows the progress.`,
    );
  }),
  on(rotation.getKeyRotation, async ({ params: { workspace } }) => {
    const { getKeyRotation } = await import("../../services/secrets/rotate-workspace-key.ts");
    return json(200, await getKeyRotation(deps, workspace));
  }),
  on(rotation.continueKeyRotation, async ({ params: { workspace } }) => {
    const { continueKeyRotation, getKeyRotation } = await import("../../services/secrets/rotate-workspace-key.ts");
    await continueKeyRotation(deps, workspace);
    return json(200, await getKeyRotation(deps, workspace));
  }),
];

/** Continues the rotation of a key for housekeeping. */
export async function continueRotation(event: object, context: Context): Promise<void> {
  const { continueDueRotation } = await import("../../services/secrets/rotate-workspace-key.ts");
  const call = rotationCallSchema.parse(event);
  await continueDueRotation(deps, call);
  await logInvocation("rotated", context, { workspace: call.rotate });
}
