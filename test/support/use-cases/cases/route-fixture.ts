import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { httpFieldsSchema } from "../../../../contract/routes/triggers/http-fields.ts";
import type { Authentication, RefusalReason } from "../../../../core/http-routes/authentication/outcome.ts";
import type { FoundHttpRoute, HttpRouteMatch } from "../../../../core/http-routes/http-route.ts";
import { scriptHeadObject } from "../../../../core/scripts/version.ts";
import type { StoredTrigger } from "../../../../core/triggers/trigger.ts";
import { triggerObject } from "../../../../core/triggers/trigger.ts";
import { createHttpRouteHandler, type RequestSteps, type RoutePorts, requestSteps } from "../../../../functions/routes/answer-request.ts";
import type { HttpRouteSearch } from "../../../../services/http-routes/find-http-route.ts";
import { toGatewayEvent } from "../../fuzz/gateway-event.ts";
import type { World } from "../world.ts";
import { addScript } from "../world-jobs.ts";
import { anAdmin } from "../world-people.ts";

const PATH = "shop/orders/7";

/** The keys of no issuer. */
export const noIssuers = { publicKey: async () => undefined, readKeySet: async () => ({ keys: [] }) };

/** Routes of a world, whose scripts answer as `world.answers.run` does. */
export function routesOf(world: () => World) {
  async function aRoute(own: object = {}, mode: StoredTrigger["mode"] = "enabled"): Promise<FoundHttpRoute> {
    const { build, ...version } = await addScript(world(), { path: `f/t/${randomUUID()}`, params: null });
    const stored = { ...triggerObject.key(world().workspace, "sqs", `f/t/${randomUUID()}`), version: "1", value: {} };
    await world().deps.objects.put(stored);
    const trigger = {
      ...{ id: randomUUID(), kind: "http" as StoredTrigger["kind"], path: "f/t/route", scriptPath: version.path, isFlow: false, mode },
      ...{ email: "ann@example.com", permissionedAs: "u/ann", superAdmin: false, own: {}, editedBy: "ann", editedAtMs: 0 },
    };
    const head = { ...scriptHeadObject.key(world().workspace, version.path), value: version, build };
    const fields = httpFieldsSchema.parse({ route_path: "shop/orders/:id", http_method: "post", ...own });
    return {
      workspace: world().workspace,
      trigger,
      stored,
      fields: fields,
      params: { id: "7" },
      below: [],
      actor: anAdmin,
      head,
      credential: undefined,
    };
  }

  /** An address with one route. Other methods of it are refused. */
  function serve(
    route: FoundHttpRoute,
    authentication: Authentication = { outcome: "admitted" },
    { routesKey, includedHeaders = [], ...replaced }: Partial<RequestSteps & Pick<RoutePorts, "routesKey" | "includedHeaders">> = {},
  ) {
    const refusals: RefusalReason[] = [];
    const findHttpRoute = async (_: unknown, { method, path }: HttpRouteSearch): Promise<HttpRouteMatch> => {
      if (path !== PATH) return { outcome: "unknown" };
      return method === route.fields.http_method
        ? { outcome: "found", route }
        : { outcome: "otherMethod", allowed: [route.fields.http_method] };
    };
    const steps: RequestSteps = {
      ...requestSteps,
      findHttpRoute,
      authenticateRequest: async () => authentication,
      recordRefusal: async (_ports, _found, reason) => void refusals.push(reason),
      answerStatic: async () => ({ statusCode: 200, headers: { "content-type": "text/plain" }, body: "file" }),
      ...replaced,
    };
    const ports = { ...world().deps, findLastStep: async () => undefined, syncLimitMs: async () => 5000, includedHeaders, routesKey };
    const handler = createHttpRouteHandler({ ...ports, ...noIssuers }, steps);
    const call = async (method: string, headers: Record<string, string> = {}, sending: { path?: string; body?: string | Buffer } = {}) => {
      const { path = PATH, body = "{}" } = sending;
      const sent = { method, path: `/api/r/${path}`, headers: Object.entries(headers), ...(method === "GET" ? {} : { body }) };
      const reply = await handler(toGatewayEvent(sent) as APIGatewayProxyEvent, { awsRequestId: "r" } as Context);
      const named = Object.fromEntries(Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
      return { ...reply, headers: named };
    };
    return { call, refusals };
  }

  return { aRoute, serve };
}
