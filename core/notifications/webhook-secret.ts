import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** The wrapped secret that signs the workspace's outgoing webhooks. */
export const webhookSecretObject = defineObject({
  name: "secret of webhooks",
  partition: "WEBHOOKS",
  ...inWorkspace,
  sort: () => "secret",
  schema: z.object({
    wrapped: z.string(),
    /** The previous secret. */
    old: z.object({ wrapped: z.string(), untilMs: z.number() }).optional(),
  }),
});
