import { deliver } from "../deliver.ts";
import { bad, closed, type Event, field, found, good, type Steps } from "../exchange.ts";

const none = "00000000-0000-4000-8000-000000000000";
const firstId = (body: string) => {
  const json = JSON.parse(body) as { id: string }[] | { deliveries: { id: string }[] };
  return (Array.isArray(json) ? json : json.deliveries)[0]?.id;
};

const sendAll: Event = (stage) => deliver(stage);

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
  sendAll,
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
  sendAll,
  ...closed("listInstanceDeliveries", { keep: { instanceDelivery: firstId } }),
  ...found("getInstanceDelivery", { id: "<instanceDelivery>" }, { id: none }),
  good("replayInstanceDeliveries", { json: { ids: ["<instanceDelivery>"] } }),
  bad("replayInstanceDeliveries", { json: {} }),
];
