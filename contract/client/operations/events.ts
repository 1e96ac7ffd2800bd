// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const deliveryOperations = {
  "webhooks.listDeliveries": "GET /api/w/{workspace}/webhooks/deliveries/list",
  "webhooks.getDelivery": "GET /api/w/{workspace}/webhooks/deliveries/get/{id}",
  "webhooks.replayDeliveries": "POST /api/w/{workspace}/webhooks/deliveries/replay",
};

export const instanceWebhookOperations = {
  "webhooks.listInstance": "GET /api/webhooks/list",
  "webhooks.testInstance": "POST /api/webhooks/test",
  "webhooks.instanceSecret": "GET /api/webhooks/secret",
  "webhooks.rotateInstanceSecret": "POST /api/webhooks/secret",
  "webhooks.listInstanceDeliveries": "GET /api/webhooks/deliveries/list",
  "webhooks.getInstanceDelivery": "GET /api/webhooks/deliveries/get/{id}",
  "webhooks.replayInstanceDeliveries": "POST /api/webhooks/deliveries/replay",
};

export const webhookOperations = {
  "workspaces.editWebhook": "POST /api/w/{workspace}/workspaces/edit_webhook",
  "webhooks.list": "GET /api/w/{workspace}/webhooks/list",
  "webhooks.create": "POST /api/w/{workspace}/webhooks/create",
  "webhooks.update": "POST /api/w/{workspace}/webhooks/update/{id}",
  "webhooks.delete": "DELETE /api/w/{workspace}/webhooks/delete/{id}",
  "webhooks.test": "POST /api/w/{workspace}/webhooks/test/{id}",
};
