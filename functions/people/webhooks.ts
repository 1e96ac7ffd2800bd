import { BEFORE_HEADER } from "../../contract/common.ts";
import { deliveryRoutes as log } from "../../contract/routes/events/deliveries.ts";
import { webhookRoutes as routes } from "../../contract/routes/events/webhooks.ts";
import { toWebhookJson } from "../../core/events/endpoint.ts";
import { hideUrlSecrets } from "../../core/notifications/delivery.ts";
import { getDelivery, listDeliveryLog } from "../../services/events/delivery-log.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  setWorkspaceWebhook,
  testEndpoint,
  updateEndpoint,
} from "../../services/events/endpoints.ts";
import { requestReplay } from "../../services/events/replay-deliveries.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, nameAuditedResource, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** The audit log names the origin of a URL, whose other parts may be secret. */
export const webhooks: ApiRoutes = [
  on(routes.editWebhook, async ({ auth: { actor }, params: { workspace }, body, expected }) => {
    const endpoint = await setWorkspaceWebhook(deps, { actor, workspace }, body, expected);
    const reply = text(200, endpoint ? "The webhook was saved." : "The workspace has no webhook any more.");
    return nameAuditedResource(reply, endpoint && hideUrlSecrets(endpoint.url));
  }),
  on(routes.listWebhooks, async ({ params: { workspace } }) => json(200, (await listEndpoints(deps, workspace)).map(toWebhookJson))),
  on(routes.createWebhook, async ({ auth: { actor }, params: { workspace }, body }) => {
    const endpoint = await createEndpoint(deps, { actor, workspace }, body);
    return nameAuditedResource(json(201, toWebhookJson(endpoint)), `${endpoint.id} ${hideUrlSecrets(endpoint.url)}`);
  }),
  on(routes.updateWebhook, async ({ auth: { actor }, params: { workspace, id }, body, expected }) => {
    const endpoint = await updateEndpoint(deps, { actor, workspace }, id, body, expected);
    return nameAuditedResource(json(200, toWebhookJson(endpoint)), `${endpoint.id} ${hideUrlSecrets(endpoint.url)}`);
  }),
  on(routes.deleteWebhook, async ({ params: { workspace, id }, expected }) => {
    await deleteEndpoint(deps, workspace, id, expected);
    return text(200, `The webhook endpoint ${id} was deleted.`);
  }),
  on(routes.testWebhook, async ({ auth: { actor }, params: { workspace, id } }) =>
    json(200, { id: await testEndpoint(deps, { actor, workspace }, id) }),
  ),
  on(log.listDeliveries, async ({ params: { workspace }, query }) => {
    const { deliveries, before } = await listDeliveryLog(deps, workspace, query);
    return json(200, deliveries, before === undefined ? {} : { [BEFORE_HEADER]: before });
  }),
  on(log.getDelivery, async ({ params: { workspace, id } }) => json(200, await getDelivery(deps, workspace, id))),
  on(log.replayDeliveries, async ({ params: { workspace }, body }) => json(200, { replay_id: await requestReplay(deps, workspace, body) })),
];
