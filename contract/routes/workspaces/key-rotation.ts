import * as z from "zod";
import { inWorkspace, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

/** The replacement of an encryption key: `none` if there is none, or if it has ended. */
const keyRotationSchema = z.object({
  state: z.enum(["none", "running", "interrupted"]),
  /** The number of secrets that the replacement has handled, and of all of them. */
  done: z.int(),
  total: z.int(),
  /** The paths of secrets that this replacement, or the last one, could not decrypt, at most 100. They are left as they were. */
  unreadable: z.array(z.string()),
  started_by: z.string().optional(),
  started_at: timestamp.optional(),
});
export type KeyRotationJson = z.output<typeof keyRotationSchema>;

const shared = {
  fn: "objects",
  auth: "token",
  status: 200,
  path: "/api/w/{workspace}/variables/key_rotation",
  params: inWorkspace,
  reply: { json: keyRotationSchema },
  errors: ["workspace.notFound"],
} as const;

/** The progress of a replacement of the encryption key. */
export const keyRotationRoutes = {
  getKeyRotation: defineRoute({
    ...shared,
    method: "GET",
    name: "workspaces.getKeyRotation",
    summary:
      "Get the progress of the replacement of the encryption key, and the secrets that could not be decrypted. The service continues a replacement that was interrupted.",
    access: { domain: "encryption_key", verb: "read", need: "admin", target: "none" },
  }),
  continueKeyRotation: defineRoute({
    ...shared,
    method: "POST",
    name: "workspaces.continueKeyRotation",
    summary:
      "Re-encrypt further secrets of an interrupted replacement of the encryption key, for up to 15 s, without waiting for the service.",
    access: { domain: "encryption_key", verb: "write", need: "admin", target: "none" },
    audits: { kind: "Updated", resource: "none", inSteps: true },
  }),
};
