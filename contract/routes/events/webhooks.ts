import * as z from "zod";
import { inWorkspace, timestamp, workspaceId } from "../../common.ts";
import { workspaceEventTypes } from "../../events.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { webhookUrl } from "./webhook-url.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;
const adminRead = { domain: "workspaces", verb: "read", need: "admin", target: "none" } as const;
const adminWrite = { domain: "workspaces", verb: "write", need: "admin", target: "none" } as const;
const done = { text: "A confirmation." };

const eventTypes = z
  .array(z.enum(workspaceEventTypes))
  .min(1, "must name at least one type; null chooses all")
  .max(workspaceEventTypes.length);
const pathGlobs = z
  .array(
    z
      .string()
      .max(250)
      .regex(/^[A-Za-z0-9_./*?-]+$/, "must be a path in which * matches a name, ** any text and ? one character"),
  )
  .min(1, "must name at least one path; null chooses all")
  .max(50);
const description = z.string().max(1000);
const endpointId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "letters, digits, '-' and '_', at most 64, starting with a letter or digit");

/** `null` chooses all. */
const chosen = { events: eventTypes.nullish(), paths: pathGlobs.nullish() };
const endpointFields = { ...chosen, description: description.nullish() };

export const webhookSchema = z.object({
  /** `workspace` is the endpoint that `edit_webhook` sets. */
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()).nullable(),
  paths: z.array(z.string()).nullable(),
  description: z.string().optional(),
  enabled: z.boolean(),
  /** Why the service disabled it, and since when its deliveries fail. */
  disabled_reason: z.string().optional(),
  failing_since: timestamp.optional(),
  created_by: z.string(),
  created_at: timestamp,
  edited_by: z.string(),
  edited_at: timestamp,
  /** For `If-Match` of a change. */
  version: z.string(),
});
export type WebhookJson = z.output<typeof webhookSchema>;

export const newWebhookSchema = z.object({
  id: endpointId.refine((id) => id !== "workspace", "is the id of the endpoint that edit_webhook sets").optional(),
  url: webhookUrl,
  ...endpointFields,
  enabled: z.boolean().default(true),
});
export type NewWebhook = z.output<typeof newWebhookSchema>;
export const webhookChangeSchema = z.object({ url: webhookUrl.optional(), ...endpointFields, enabled: z.boolean().optional() });
export type WebhookChange = z.output<typeof webhookChangeSchema>;
export const workspaceWebhookSchema = z.object({
  webhook: z.union([webhookUrl, z.literal("")]).nullish(),
  events: eventTypes.nullish(),
});
export type WorkspaceWebhookChange = z.output<typeof workspaceWebhookSchema>;

const atEndpoint = z.object({ workspace: workspaceId, id: endpointId });

export const webhookRoutes = {
  editWebhook: defineRoute({
    ...post,
    name: "workspaces.editWebhook",
    summary:
      "Set the URL that receives the workspace's events, and their types (null: all; absent: unchanged). Without webhook it is removed, unless events is present: then only the types change.",
    path: `${w}/workspaces/edit_webhook`,
    access: adminWrite,
    audits: { kind: "Updated", resource: { reply: "named" } },
    params: inWorkspace,
    body: workspaceWebhookSchema,
    version: "expected",
    reply: done,
    errors: ["webhook.notFound", "webhook.changedMeanwhile"],
  }),
  listWebhooks: defineRoute({
    ...read,
    name: "webhooks.list",
    summary: "List the endpoints that receive the workspace's events.",
    path: `${w}/webhooks/list`,
    access: adminRead,
    params: inWorkspace,
    reply: { json: z.array(webhookSchema) },
    errors: [],
  }),
  createWebhook: defineRoute({
    ...post,
    status: 201,
    name: "webhooks.create",
    summary: `Add an endpoint, at most ${limits.webhookEndpoints} beside the one of edit_webhook.`,
    path: `${w}/webhooks/create`,
    access: adminWrite,
    audits: { kind: "Created", resource: { reply: "named", before: { body: "id" } } },
    params: inWorkspace,
    body: newWebhookSchema,
    reply: { json: webhookSchema },
    errors: ["webhook.exists", "webhook.tooMany", "webhook.changedMeanwhile"],
  }),
  updateWebhook: defineRoute({
    ...post,
    name: "webhooks.update",
    summary: "Change an endpoint. Omitted fields remain unchanged; null for events or paths chooses all.",
    path: `${w}/webhooks/update/{id}`,
    access: adminWrite,
    audits: { kind: "Updated", resource: { reply: "named", before: { param: "id" } } },
    params: atEndpoint,
    body: webhookChangeSchema,
    version: "expected",
    reply: { json: webhookSchema },
    errors: ["webhook.notFound", "webhook.changedMeanwhile"],
  }),
  deleteWebhook: defineRoute({
    ...post,
    method: "DELETE",
    name: "webhooks.delete",
    summary: "Remove an endpoint. It receives no further attempts.",
    path: `${w}/webhooks/delete/{id}`,
    access: adminWrite,
    audits: { kind: "Delete", resource: { param: "id" } },
    params: atEndpoint,
    version: "expected",
    reply: done,
    errors: ["webhook.notFound", "webhook.changedMeanwhile"],
  }),
  testWebhook: defineRoute({
    ...post,
    name: "webhooks.test",
    summary: "Send an event of type svc.test to one endpoint, also to a disabled one. The reply contains its webhook-id.",
    path: `${w}/webhooks/test/{id}`,
    access: adminWrite,
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atEndpoint,
    reply: { json: z.object({ id: z.uuid() }) },
    errors: ["webhook.notFound"],
  }),
};
