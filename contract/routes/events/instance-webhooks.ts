import * as z from "zod";
import { defineRoute } from "../../route.ts";
import { deliveryRoutes as log } from "./deliveries.ts";
import { webhookSchema } from "./webhooks.ts";

const of = { fn: "people", auth: "token", status: 200 } as const;
const read = { ...of, method: "GET", access: { domain: "settings", verb: "read", need: "superadmin", target: "none" } } as const;
const write = { ...of, method: "POST", access: { domain: "settings", verb: "write", need: "superadmin", target: "none" } } as const;
const deliveries = "/api/webhooks/deliveries";
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
    audits: { kind: "Updated", resource: "none" },
    reply: { json: z.object({ id: z.uuid() }) },
    errors: ["webhook.notFound"],
  }),
  instanceWebhookSecret: defineRoute({
    ...read,
    access: { ...read.access, domain: "signing_secret" },
    name: "webhooks.instanceSecret",
    summary: "Get the secret that signs the events of the instance.",
    path: "/api/webhooks/secret",
    reveals: "webhook secret",
    reply: secret,
    errors: [],
  }),
  rotateInstanceWebhookSecret: defineRoute({
    ...write,
    access: { ...write.access, domain: "signing_secret" },
    name: "webhooks.rotateInstanceSecret",
    summary: "Replace the secret that signs the events of the instance. For one day, events are signed with the old one too.",
    path: "/api/webhooks/secret",
    audits: { kind: "Updated", resource: "none" },
    reveals: "webhook secret",
    reply: secret,
    errors: ["write.collided"],
  }),
  listInstanceDeliveries: defineRoute({
    ...read,
    name: "webhooks.listInstanceDeliveries",
    summary: "List the deliveries of the events of the instance, with the filters and pages of the deliveries of a workspace.",
    path: `${deliveries}/list`,
    query: log.listDeliveries.query,
    reply: log.listDeliveries.reply,
    errors: [],
  }),
  getInstanceDelivery: defineRoute({
    ...read,
    name: "webhooks.getInstanceDelivery",
    summary: "One delivery of an event of the instance, with its body, its headers and its attempts.",
    path: `${deliveries}/get/{id}`,
    params: log.getDelivery.params.pick({ id: true }),
    reply: log.getDelivery.reply,
    errors: ["delivery.notFound"],
  }),
  replayInstanceDeliveries: defineRoute({
    ...write,
    name: "webhooks.replayInstanceDeliveries",
    summary: "Send deliveries of events of the instance again, selected as for those of a workspace. They are queued after the reply.",
    path: `${deliveries}/replay`,
    audits: { kind: "Updated", resource: "none" },
    body: log.replayDeliveries.body,
    reply: log.replayDeliveries.reply,
    errors: ["webhook.notFound"],
  }),
};
