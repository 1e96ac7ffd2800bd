import * as z from "zod";
import { inWorkspace, page, timestamp, workspaceId } from "../../common.ts";
import { eventSchema } from "../../events.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/webhooks/deliveries";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const adminRead = { domain: "workspaces", verb: "read", need: "admin", target: "none" } as const;
const adminWrite = { domain: "workspaces", verb: "write", need: "admin", target: "none" } as const;

const state = z
  .enum(["pending", "sent", "retrying", "failed"])
  .describe("`pending` before the end of the first attempt, `retrying` until the last one, and `failed` after it.");
const endpoint = z.string().max(64);
const type = z.enum(eventSchema.options.map(({ shape }) => shape.type.value));
/** The id of the event, which is its `webhook-id`, and of the endpoint. */
const deliveryId = z
  .string()
  .regex(
    /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "must be the id of a delivery: <event id>.<endpoint id>",
  );

const deliverySchema = z.object({
  id: z.string(),
  event_id: z.string(),
  endpoint: z.string(),
  type: z.string(),
  path: z.string().optional(),
  state,
  attempts: z.int(),
  created_at: timestamp,
  last_attempt_at: timestamp.optional(),
  /** The status that the receiver returned to the last attempt. */
  status: z.int().optional(),
  error: z.string().optional(),
  next_attempt_at: timestamp.optional(),
});
export type DeliveryJson = z.output<typeof deliverySchema>;

const deliveryDetailsSchema = deliverySchema.extend({
  body: z.string().describe("The body of each request, as it is signed."),
  headers: z.record(z.string(), z.string()).describe("The headers of the last request, without the signature."),
  attempt_log: z.array(
    z.object({ at: timestamp, success: z.boolean(), status: z.int().optional(), milliseconds: z.int(), error: z.string().optional() }),
  ),
});
export type DeliveryDetailsJson = z.output<typeof deliveryDetailsSchema>;

const deliveryQuery = z.object({
  ...page,
  endpoint: endpoint.optional(),
  type: type.optional(),
  path: z.string().max(500).optional(),
  state: state.optional(),
  before: timestamp.optional(),
  after: timestamp.optional(),
});
export type DeliveryQuery = z.output<typeof deliveryQuery>;

export const replayRequestSchema = z.union([
  z.strictObject({ ids: z.array(deliveryId).min(1).max(limits.replayedDeliveries) }),
  z.strictObject({
    endpoint,
    after: timestamp,
    before: timestamp,
    types: z.array(type).min(1).max(type.options.length).optional(),
    state: state.optional(),
  }),
]);
export type ReplayRequest = z.output<typeof replayRequestSchema>;

export const deliveryRoutes = {
  listDeliveries: defineRoute({
    ...read,
    name: "webhooks.listDeliveries",
    summary:
      "List the deliveries of the last 30 days, newest event first. The state failed selects those whose attempts are used up. A page that is not full " +
      "carries the header `x-svc-before` if more deliveries may match: send it as `before` to continue.",
    path: `${w}/list`,
    access: adminRead,
    params: inWorkspace,
    query: deliveryQuery,
    reply: { json: z.array(deliverySchema) },
    errors: [],
  }),
  getDelivery: defineRoute({
    ...read,
    name: "webhooks.getDelivery",
    summary: "One delivery with its body, its headers and its attempts.",
    path: `${w}/get/{id}`,
    access: adminRead,
    params: z.object({ workspace: workspaceId, id: deliveryId }),
    reply: { json: deliveryDetailsSchema },
    errors: ["delivery.notFound"],
  }),
  replayDeliveries: defineRoute({
    ...read,
    method: "POST",
    name: "webhooks.replayDeliveries",
    summary: `Send deliveries again with their webhook-id: those with the given ids, or the first ${limits.replayedDeliveries} of an endpoint in a range of time. They are queued after the reply.`,
    path: `${w}/replay`,
    access: adminWrite,
    audits: { kind: "Updated", resource: "none" },
    params: inWorkspace,
    body: replayRequestSchema,
    reply: { json: z.object({ replay_id: z.uuid() }) },
    errors: ["webhook.notFound"],
  }),
};
