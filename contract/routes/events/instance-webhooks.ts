import * as z from "zod";
import { defineRoute } from "../../route.ts";
import { webhookSchema } from "./webhooks.ts";

const of = { fn: "people", auth: "token", status: 200 } as const;
const read = { ...of, method: "GET", access: { domain: "settings", verb: "read", need: "superadmin", target: "none" } } as const;
const write = { ...of, method: "POST", access: { domain: "settings", verb: "write", need: "superadmin", target: "none" } } as const;
const secret = { json: z.object({ secret: z.string() }) };

export const instanceWebhookRoutes = {
  listInstanceWebhooks: defineRoute({
    ...read,
    name: "webhooks.listInstance",
    summary:
      "List the endpoint that receives the events of the instance, if the setting instance_events_webhook or the deployment names one.",
    path: "/api/webhooks/list",
    reply: { json: z.array(webhookSchema) },
    errors: [],
  }),
  testInstanceWebhook: defineRoute({
    ...write,
    name: "webhooks.testInstance",
    summary: "Send an event of type svc.test to the receiver of the events of the instance. The reply contains its webhook-id.",
    path: "/api/webhooks/test",
    reply: { json: z.object({ id: z.uuid() }) },
    errors: ["webhook.notFound"],
  }),
  instanceWebhookSecret: defineRoute({
    ...read,
    name: "webhooks.instanceSecret",
    summary: "Get the secret that signs the events of the instance.",
    path: "/api/webhooks/secret",
    reply: secret,
    errors: [],
  }),
  rotateInstanceWebhookSecret: defineRoute({
    ...write,
    name: "webhooks.rotateInstanceSecret",
    summary: "Replace the secret that signs the events of the instance. For one day, events are signed with the old one too.",
    path: "/api/webhooks/secret",
    reply: secret,
    errors: ["write.collided"],
  }),
};
