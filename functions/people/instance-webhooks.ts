import { webhookKeys } from "../../aws/kms/data-keys.ts";
import { BEFORE_HEADER, INSTANCE } from "../../contract/common.ts";
import { instanceWebhookRoutes as routes } from "../../contract/routes/events/instance-webhooks.ts";
import { toWebhookJson } from "../../core/events/endpoint.ts";
import { getDelivery, listDeliveryLog } from "../../services/events/delivery-log.ts";
import { listInstanceEndpoints, testInstanceEndpoint } from "../../services/events/instance-webhook.ts";
import { requestReplay } from "../../services/events/replay-deliveries.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../../services/notifications/webhook-secret.ts";
import { type ApiRoutes, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps as peopleDeps } from "./deps.ts";

const deps = { ...peopleDeps, webhookKeys };

export const instanceWebhooks: ApiRoutes = [
  on(routes.listInstanceWebhooks, async () => json(200, (await listInstanceEndpoints(deps)).map(toWebhookJson))),
  on(routes.testInstanceWebhook, async ({ auth: { actor } }) => json(200, { id: await testInstanceEndpoint(deps, actor) })),
  on(routes.instanceWebhookSecret, async ({ auth }) =>
    json(200, { secret: await getWebhookSecret(deps, secretReader(auth, INSTANCE, routes.instanceWebhookSecret)) }),
  ),
  on(routes.rotateInstanceWebhookSecret, async ({ auth }) =>
    json(200, { secret: await rotateWebhookSecret(deps, secretReader(auth, INSTANCE, routes.rotateInstanceWebhookSecret)) }),
  ),
  on(routes.listInstanceDeliveries, async ({ query }) => {
    const { deliveries, before } = await listDeliveryLog(deps, INSTANCE, query);
    return json(200, deliveries, before === undefined ? {} : { [BEFORE_HEADER]: before });
  }),
  on(routes.getInstanceDelivery, async ({ params: { id } }) => json(200, await getDelivery(deps, INSTANCE, id))),
  on(routes.replayInstanceDeliveries, async ({ body }) => json(200, { replay_id: await requestReplay(deps, INSTANCE, body) })),
];
