// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const instanceOperations = {
  "instance.home": "GET /",
  "instance.version": "GET /api/version",
  "instance.health": "GET /api/health/status",
  "instance.healthInDetail": "GET /api/health/detailed",
  "instance.openapi": "GET /api/openapi.json",
  "instance.reference": "GET /docs",
  "instance.cliPackage": "GET /cli/svc-cli.tgz",
  "instance.clientPackage": "GET /clients/{path+}",
  "instance.configSchema": "GET /svc.schema.json",
  "instance.referenceFile": "GET /docs/{file}",
};

export const webOperations = {
  "web.approvalPage": "GET /approve/{workspace}/{id}/{resume_id}/{signature}",
  "web.signedInApprovalPage": "GET /approve/{workspace}/{id}",
  "web.devicePage": "GET /device",
  "web.signInPage": "GET /login",
  "web.workspacePage": "GET /w/{path+}",
  "web.accountPage": "GET /account/{tab}",
  "web.instancePage": "GET /instance/{tab}",
  "web.chatLinkPage": "GET /chat/link",
  "web.sharedRunPage": "GET /share/{token}",
  "web.guides": "GET /docs/guide",
  "web.guide": "GET /docs/guide/{name}",
  "web.asset": "GET /assets/{file}",
};
