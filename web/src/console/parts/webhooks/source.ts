import type { Answer } from "../../../../../contract/client/client.ts";
import type { Body, CallInput, Reply } from "../../../../../contract/client/operation.ts";
import type { DeliveryDetailsJson, DeliveryJson } from "../../../../../contract/routes/events/deliveries.ts";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { ask, call } from "../../data/api.ts";
import { type EventType, instanceTypes, workspaceTypes } from "./event-types.ts";

export type DeliveryQuery = NonNullable<CallInput<"webhooks.listDeliveries">["query"]>;

/** The webhooks of a workspace or of the instance. */
export interface WebhookSource {
  /** Begins the keys of its queries. */
  key: readonly string[];
  types: readonly EventType[];
  list: (signal?: AbortSignal) => Promise<WebhookJson[]>;
  test: (id: string) => Promise<unknown>;
  showSecret: () => Promise<{ secret: string }>;
  rotateSecret: () => Promise<{ secret: string }>;
  listDeliveries: (query: DeliveryQuery, signal: AbortSignal) => Promise<Answer<DeliveryJson[]>>;
  getDelivery: (id: string, signal: AbortSignal) => Promise<DeliveryDetailsJson>;
  replay: (body: Body<"webhooks.replayDeliveries">) => Promise<Reply<"webhooks.replayDeliveries">>;
}

/** Adds the signal only if there is one. */
const withSignal = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

export const workspaceSource = (workspace: string): WebhookSource => ({
  key: [workspace, "webhooks"],
  types: workspaceTypes,
  list: (signal) => call.webhooks.list({ workspace, ...withSignal(signal) }),
  test: (id) => call.webhooks.test({ workspace, id }),
  showSecret: () => call.workspaces.getWebhookSecret({ workspace }),
  rotateSecret: () => call.workspaces.rotateWebhookSecret({ workspace }),
  listDeliveries: (query, signal) => ask.webhooks.listDeliveries({ workspace, query, signal }),
  getDelivery: (id, signal) => call.webhooks.getDelivery({ workspace, id, signal }),
  replay: (body) => call.webhooks.replayDeliveries({ workspace, body }),
});

export const instanceSource: WebhookSource = {
  key: ["instance", "webhooks"],
  types: instanceTypes,
  list: (signal) => call.webhooks.listInstance(withSignal(signal)),
  test: () => call.webhooks.testInstance(),
  showSecret: () => call.webhooks.instanceSecret(),
  rotateSecret: () => call.webhooks.rotateInstanceSecret(),
  listDeliveries: (query, signal) => ask.webhooks.listInstanceDeliveries({ query, signal }),
  getDelivery: (id, signal) => call.webhooks.getInstanceDelivery({ id, signal }),
  replay: (body) => call.webhooks.replayInstanceDeliveries({ body }),
};
