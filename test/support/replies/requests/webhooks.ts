import { INSTANCE } from "../../../../contract/common.ts";
import { sentAttempt } from "../../../../core/deliveries/attempt.ts";
import { outboxEventObject } from "../../../../core/events/outbox-event.ts";
import { deliveryKinds } from "../../../../functions/shared/wiring/delivery-kinds.ts";
import { sendDeliveries } from "../../../../services/deliveries/queue-attempts.ts";
import { dispatchEvent } from "../../../../services/events/dispatch-event.ts";
import { DeliveryConsumer } from "../../use-cases/world-deliveries.ts";
import { bad, closed, field, found, good, type Stage, type Steps } from "../exchange.ts";

const none = "00000000-0000-4000-8000-000000000000";
const firstId = (body: string) => {
  const json = JSON.parse(body) as { id: string }[] | { deliveries: { id: string }[] };
  return (Array.isArray(json) ? json : json.deliveries)[0]?.id;
};

/** Function `deliver` sends all events. Every receiver accepts them. */
async function deliver({ world }: Stage): Promise<void> {
  const webhooks = { post: async () => sentAttempt };
  const kinds = deliveryKinds({ ...world.deps, webhooks } as unknown as Parameters<typeof deliveryKinds>[0]);
  for (const workspace of [world.workspace, INSTANCE]) {
    for (const { pk, sk } of await world.deps.objects.list(outboxEventObject.key(workspace, "").pk)) {
      await sendDeliveries(world.deps, await dispatchEvent(world.deps, { pk, sk }));
    }
  }
  await new DeliveryConsumer(world, kinds).receive();
}

export const webhooks: Steps = [
  good("createWebhook", {
    json: { url: "https://hooks.example.com/a", events: ["CreateVariable"], description: "Variables" },
    keep: { id: field("id") },
  }),
  bad("createWebhook", { json: { url: "ftp://hooks.example.com" } }),
  bad("createWebhook", { json: { url: "https://hooks.example.com/a", events: ["Unknown"] } }),
  ...closed("listWebhooks"),
  ...found("updateWebhook", { id: "<id>" }, { id: none }, { json: { paths: ["f/t/*"] } }),
  bad("updateWebhook", { params: { id: "<id>" }, json: { url: 1 } }),
  good("createFolder", { json: { name: "t" } }),
  good("createVariable", { json: { path: "f/t/plain", value: "v", is_secret: false } }),
  ...found("testWebhook", { id: "<id>" }, { id: none }),
  deliver,
  ...closed("listDeliveries", { keep: { delivery: firstId } }),
  bad("listDeliveries", { query: { page: -1 } }),
  ...found("getDelivery", { id: "<delivery>" }, { id: none }),
  good("replayDeliveries", { json: { ids: ["<delivery>"] } }),
  bad("replayDeliveries", { json: { ids: [] } }),
  bad("replayDeliveries", { json: { endpoint: "<id>", after: "yesterday" } }),
  ...found("deleteWebhook", { id: "<id>" }, { id: none }),
  good("editWebhook", { json: { webhook: "https://hooks.example.com/b", events: ["CreateApp"] } }),
  bad("editWebhook", { json: { webhook: "nowhere" } }),
  bad("testInstanceWebhook"),
  good("setGlobal", { params: { key: "instance_events_webhook" }, json: { value: "https://hooks.example.com/all" } }),
  ...closed("listInstanceWebhooks"),
  ...closed("testInstanceWebhook"),
  ...closed("instanceWebhookSecret"),
  ...closed("rotateInstanceWebhookSecret"),
  deliver,
  ...closed("listInstanceDeliveries", { keep: { instanceDelivery: firstId } }),
  ...found("getInstanceDelivery", { id: "<instanceDelivery>" }, { id: none }),
  good("replayInstanceDeliveries", { json: { ids: ["<instanceDelivery>"] } }),
  bad("replayInstanceDeliveries", { json: {} }),
];
