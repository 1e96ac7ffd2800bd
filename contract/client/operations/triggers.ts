// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const missingTriggerOperations = {
  "websocket_triggers.list": "GET /api/w/{workspace}/websocket_triggers/list",
  "kafka_triggers.list": "GET /api/w/{workspace}/kafka_triggers/list",
  "nats_triggers.list": "GET /api/w/{workspace}/nats_triggers/list",
  "postgres_triggers.list": "GET /api/w/{workspace}/postgres_triggers/list",
  "mqtt_triggers.list": "GET /api/w/{workspace}/mqtt_triggers/list",
  "amqp_triggers.list": "GET /api/w/{workspace}/amqp_triggers/list",
  "gcp_triggers.list": "GET /api/w/{workspace}/gcp_triggers/list",
  "azure_triggers.list": "GET /api/w/{workspace}/azure_triggers/list",
};

export const openapiDocumentOperations = {
  "openapi.generate": "POST /api/w/{workspace}/openapi/generate",
  "openapi.download": "POST /api/w/{workspace}/openapi/download",
};

export const httpOperations = {
  "http_triggers.routeExists": "POST /api/w/{workspace}/http_triggers/route_exists",
};

export const setupOperations = {
  "aws_triggers.getSetup": "GET /api/w/{workspace}/aws_triggers/setup",
};

export const triggerOperations = {
  "http_triggers.list": "GET /api/w/{workspace}/http_triggers/list",
  "http_triggers.get": "GET /api/w/{workspace}/http_triggers/get/{path+}",
  "http_triggers.exists": "GET /api/w/{workspace}/http_triggers/exists/{path+}",
  "http_triggers.create": "POST /api/w/{workspace}/http_triggers/create",
  "http_triggers.update": "POST /api/w/{workspace}/http_triggers/update/{path+}",
  "http_triggers.setMode": "POST /api/w/{workspace}/http_triggers/setmode/{path+}",
  "http_triggers.delete": "DELETE /api/w/{workspace}/http_triggers/delete/{path+}",
  "sqs_triggers.list": "GET /api/w/{workspace}/sqs_triggers/list",
  "sqs_triggers.get": "GET /api/w/{workspace}/sqs_triggers/get/{path+}",
  "sqs_triggers.exists": "GET /api/w/{workspace}/sqs_triggers/exists/{path+}",
  "sqs_triggers.create": "POST /api/w/{workspace}/sqs_triggers/create",
  "sqs_triggers.update": "POST /api/w/{workspace}/sqs_triggers/update/{path+}",
  "sqs_triggers.setMode": "POST /api/w/{workspace}/sqs_triggers/setmode/{path+}",
  "sqs_triggers.delete": "DELETE /api/w/{workspace}/sqs_triggers/delete/{path+}",
  "aws_triggers.list": "GET /api/w/{workspace}/aws_triggers/list",
  "aws_triggers.get": "GET /api/w/{workspace}/aws_triggers/get/{path+}",
  "aws_triggers.exists": "GET /api/w/{workspace}/aws_triggers/exists/{path+}",
  "aws_triggers.create": "POST /api/w/{workspace}/aws_triggers/create",
  "aws_triggers.update": "POST /api/w/{workspace}/aws_triggers/update/{path+}",
  "aws_triggers.setMode": "POST /api/w/{workspace}/aws_triggers/setmode/{path+}",
  "aws_triggers.delete": "DELETE /api/w/{workspace}/aws_triggers/delete/{path+}",
  "email_triggers.list": "GET /api/w/{workspace}/email_triggers/list",
  "email_triggers.get": "GET /api/w/{workspace}/email_triggers/get/{path+}",
  "email_triggers.exists": "GET /api/w/{workspace}/email_triggers/exists/{path+}",
  "email_triggers.create": "POST /api/w/{workspace}/email_triggers/create",
  "email_triggers.update": "POST /api/w/{workspace}/email_triggers/update/{path+}",
  "email_triggers.setMode": "POST /api/w/{workspace}/email_triggers/setmode/{path+}",
  "email_triggers.delete": "DELETE /api/w/{workspace}/email_triggers/delete/{path+}",
};
