import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { beforeAll, expect, it } from "vitest";
import { httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { fileObjectKey } from "../../core/files/file-key.ts";
import { splitRequestPath } from "../../core/http-routes/address.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { noIssuers } from "../../test/support/use-cases/cases/route-fixture.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { createHttpRouteHandler, requestSteps } from "./answer-request.ts";

const SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  await world.deps.storage.putObject(fileObjectKey(world.workspace, "f/site/index.html"), "<p>Home", "text/html");
});

function aSite(path: string): FoundHttpRoute {
  const site = { is_static_website: true, static_asset_config: { s3: "f/site" } };
  return {
    workspace: world.workspace,
    trigger: {
      ...{ id: randomUUID(), kind: "http", path: "f/t/route", scriptPath: "f/t/none", isFlow: false, mode: "enabled" },
      ...{ email: "ann@example.com", permissionedAs: "u/ann", superAdmin: false, own: {}, editedBy: "ann", editedAtMs: 0 },
    },
    stored: { ...triggerObject.key(world.workspace, "http", "f/t/route"), version: "1", value: {} },
    fields: httpFieldsSchema.parse({ route_path: "pages", http_method: "get", ...site }),
    params: {},
    below: (splitRequestPath(path) ?? []).slice(1),
    actor: anAdmin,
    head: undefined,
    credential: undefined,
  };
}

async function call(method: string, path: string, headers: Record<string, string> = {}) {
  const ports = {
    ...{ ...world.deps, ...noIssuers },
    ...{ maxRetryMs: 4000, syncLimitMs: async () => 1000, findLastStep: async () => undefined, includedHeaders: [], routesKey: undefined },
  };
  const handler = createHttpRouteHandler(ports, {
    ...requestSteps,
    findHttpRoute: async (_, search) => ({ outcome: "found", route: aSite(search.path) }),
  });
  const event = toGatewayEvent({ method, path: `/api/r/${path}`, headers: Object.entries(headers) });
  const reply = await handler(event as APIGatewayProxyEvent, { awsRequestId: "r" } as Context);
  const named = Object.fromEntries(Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { ...reply, headers: named };
}

it("every answer of a static route has the sandbox, whether it is a file, an unchanged file, a part or an error", async () => {
  const file = await call("GET", "pages");
  expect([file.statusCode, Buffer.from(file.body, "base64").toString()]).toEqual([200, "<p>Home"]);
  const etag = file.headers["etag"] ?? "";
  const others = [
    await call("HEAD", "pages"),
    await call("GET", "pages", { "If-None-Match": etag }),
    await call("GET", "pages", { Range: "bytes=0-1" }),
    await call("GET", "pages", { Range: "bytes=99-" }),
    await call("GET", "pages/..%2f..%2fother"),
    await call("GET", "pages/%252e%252e/other"),
  ];
  expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 304, 206, 416, 404, 404]);
  expect(others[0]).toMatchObject({ body: "", headers: { etag } });
  for (const { headers } of [file, ...others]) {
    expect(headers).toMatchObject({ "content-security-policy": SANDBOX, "x-content-type-options": "nosniff" });
  }
});
