import type { APIGatewayProxyEvent } from "aws-lambda";
import { RESTORES_HEADER } from "../../contract/deployment/gateway-headers.ts";
import { ROUTES_KEY_HEADER } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import { ROUTES_PREFIX } from "../../contract/route.ts";
import { httpMethodSchema } from "../../contract/routes/triggers/http-fields.ts";
import { buildCookiePath } from "../../core/http-routes/address.ts";
import { isOneOf } from "../../core/http-routes/authentication/equal-texts.ts";
import { allowHeader, corsHeaders, preflightHeaders } from "../../core/http-routes/cors.ts";
import type { FoundHttpRoute, RequestMethod } from "../../core/http-routes/http-route.ts";
import { type CookieScope, setsOwnCookie } from "../../core/reply/cookie.ts";
import { parseEventId } from "../../core/streams/event-id.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { RunAndWaitDeps } from "../../services/execution/requests/run-and-wait.ts";
import { authenticateRequest, type SentRequest } from "../../services/http-routes/authenticate-request.ts";
import { findHttpRoute } from "../../services/http-routes/find-http-route.ts";
import { recordRefusal } from "../../services/http-routes/record-refusal.ts";
import { type HttpRouteRun, runHttpRoute } from "../../services/http-routes/run-http-route.ts";
import { answerStatic } from "../../services/http-routes/static-files.ts";
import { toAddressReader, toTokenReader } from "../../services/jobs/read/streams/stream-slots.ts";
import { chooseRunStatus } from "../../services/settings/failed-status.ts";
import { TriggerChanged } from "../../services/triggers/hold-job.ts";
import type { Uses } from "../../services/uses.ts";
import { basePath } from "../shared/edge/base-path.ts";
import { edgeHandler, readPayloadHead, replyOnError, toErrorReply } from "../shared/edge/edge.ts";
import { takeHeader } from "../shared/edge/pass-edge.ts";
import { buildEventReply, replyInSlot } from "../shared/reply/event-reply.ts";
import { markReplay, type Reply, text } from "../shared/reply/reply.ts";
import { buildResultReply } from "../shared/reply/result-reply.ts";
import { readBodyBytes } from "../shared/request/body.ts";
import { readRouteToken } from "../shared/request/credentials.ts";

/** The ports of the handler of routes, and the settings of the deployment that it reads. */
export interface RoutePorts extends RunAndWaitDeps, Uses<"publicKey" | "httpRouteKeys" | "readKeySet" | "findLastStep"> {
  /** The headers that every script receives. */
  includedHeaders: readonly string[];
  /**
   * If routes have a separate domain: the possible keys of its requests, separated by commas. At that domain pages need no sandbox, and no other
   * domain serves routes.
   */
  routesKey: string | undefined;
}

/** The steps of a request. A test replaces those that it does not test. */
export const requestSteps = { findHttpRoute, authenticateRequest, recordRefusal, answerStatic };
export type RequestSteps = typeof requestSteps;

/** The ports and the steps of requests. */
type RequestContext = RoutePorts & { steps: RequestSteps };

/** Pages and shaped replies share the origin of the API and the console, whose session they must not use. */
const SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

/** Creates the handler of all requests below `/api/r/`. */
export function createHttpRouteHandler(ports: RoutePorts, steps: RequestSteps = requestSteps) {
  const deps = { ...ports, steps };
  return edgeHandler(async (event, _context, edge) => {
    edge.carriesStatus = takeHeader(event, RESTORES_HEADER) !== undefined;
    edge.log.route = "routes.request";
    const { address } = edge;
    const hasOwnOrigin = takeRoutesKey(event, deps.routesKey);
    const cors: Record<string, string> = {};
    const reply = await replyOnError(async () => {
      if (deps.routesKey !== undefined && !hasOwnOrigin) throw new SvcError("httpRoute.unknown", {});
      return answerRequest(deps, event, { hasOwnOrigin, address }, (found) => {
        edge.log.workspace = found.workspace;
        Object.assign(cors, corsHeaders(event.headers["origin"], found.fields.allowed_origins));
      });
    });
    return protectReply(hasOwnOrigin, withoutBody(event, addHeaders(reply, cors)));
  });
}

/**
 * Removes the header with the key of the routes' domain from a request, so that no job receives it, and returns whether the key is valid.
 * CloudFront replaces this header of a caller, and a caller of API Gateway's own address does not know the key.
 */
function takeRoutesKey(event: APIGatewayProxyEvent, key: string | undefined): boolean {
  const requestKey = takeHeader(event, ROUTES_KEY_HEADER);
  return key !== undefined && requestKey !== undefined && isOneOf(requestKey, key.split(","));
}

/** Adds headers to those of a reply. The reply may vary by other headers as well. */
function addHeaders(reply: Reply, { vary, ...headers }: Record<string, string>): Reply {
  const varies = vary === undefined ? {} : { vary: [reply.headers?.["vary"], vary].filter(Boolean).join(", ") };
  return { ...reply, headers: { ...reply.headers, ...headers, ...varies } };
}

/** The facts about a request from its edge: whether it came through the domain of routes, and the network address of its caller. */
interface EdgeFacts {
  hasOwnOrigin: boolean;
  address: string;
}

/** `onFound` is called before anything can fail that depends on the route. */
async function answerRequest(
  deps: RequestContext,
  event: APIGatewayProxyEvent,
  edge: EdgeFacts,
  onFound: (found: FoundHttpRoute) => void,
): Promise<Reply> {
  const path = event.path.toWellFormed().slice(ROUTES_PREFIX.length).replace(/^\//, "");
  const method = toRequestMethod(event);
  const match = await deps.steps.findHttpRoute(deps, { method, path });
  const isPreflight = event.httpMethod === "OPTIONS";
  if (match.outcome === "otherMethod") {
    const allow = { Allow: allowHeader(match.allowed) };
    if (isPreflight) return { statusCode: 204, headers: allow, body: "" };
    return toErrorReply(new SvcError("route.method", { method: event.httpMethod, allowed: [...match.allowed] }), allow);
  }
  if (match.outcome === "unknown" || match.route.trigger.mode === "disabled") throw new SvcError("httpRoute.unknown", {});
  const found = match.route;
  onFound(found);
  if (isPreflight) return answerPreflight(event, found);
  try {
    return await answerFound(deps, found, event, { path, ...edge });
  } catch (error) {
    if (!(error instanceof TriggerChanged)) throw error;
    // The route was enabled, disabled or changed while its job was recorded, so it is read again, once.
    const again = await deps.steps.findHttpRoute(deps, { method, path });
    if (again.outcome !== "found" || again.route.trigger.mode === "disabled") throw new SvcError("httpRoute.unknown", {});
    return answerFound(deps, again.route, event, { path, ...edge }).catch((second: unknown) => {
      throw second instanceof TriggerChanged ? new SvcError("write.collided", {}) : second;
    });
  }
}

/** `HEAD` is answered as `GET`. A preflight request names the method of the request that follows it. */
function toRequestMethod({ httpMethod, headers }: APIGatewayProxyEvent): RequestMethod {
  const named = (httpMethod === "OPTIONS" ? (headers["access-control-request-method"] ?? "") : httpMethod).toLowerCase();
  return named === "head" ? "get" : (httpMethodSchema.safeParse(named).data ?? "options");
}

function answerPreflight({ headers }: APIGatewayProxyEvent, { fields }: FoundHttpRoute): Reply {
  const allow = { Allow: allowHeader([fields.http_method]) };
  const isAllowed = "access-control-allow-origin" in corsHeaders(headers["origin"], fields.allowed_origins);
  const preflight = isAllowed ? preflightHeaders(fields.http_method, headers["access-control-request-headers"]) : {};
  return { statusCode: 204, headers: { ...allow, ...preflight }, body: "" };
}

async function answerFound(
  deps: RequestContext,
  found: FoundHttpRoute,
  event: APIGatewayProxyEvent,
  { path, hasOwnOrigin, address }: EdgeFacts & { path: string },
): Promise<Reply> {
  const head = readPayloadHead({ ...event, httpMethod: event.httpMethod === "HEAD" ? "GET" : event.httpMethod });
  let bytes: Promise<Buffer> | undefined;
  const readBytes = () => (bytes ??= readBodyBytes(event));
  const routeRequest: SentRequest = { headers: head.headers, readBytes, token: readRouteToken(event) };
  const authentication = await deps.steps.authenticateRequest(deps, found, routeRequest);
  switch (authentication.outcome) {
    case "admitted": {
      const payload = { ...head, bytes: await readBytes() };
      const request = { method: event.httpMethod, path, payload, includedHeaders: deps.includedHeaders };
      if (found.fields.static_asset_config) return deps.steps.answerStatic(deps, found, request);
      const cookies: CookieScope = hasOwnOrigin
        ? "origin"
        : { path: `${basePath()}${buildCookiePath(found.workspace, found.fields, path)}`, nowMs: deps.nowMs() };
      const run = async () =>
        buildRunReply(deps, found, await runHttpRoute(deps, found, authentication, request), {
          cookies,
          recheck: () => recheckRoute(deps, found, path, routeRequest),
        });
      if (!mayStream(found, event)) return await run();
      const { actor } = authentication;
      return await replyInSlot(deps, actor ? toTokenReader(actor) : toAddressReader(address), run);
    }
    case "answered":
      return { statusCode: 200, headers: { "content-type": authentication.contentType }, body: authentication.body };
    case "refused": {
      const { reason, challenge } = authentication;
      await deps.steps
        .recordRefusal(deps, found, reason)
        .catch((error: unknown) => reportFailure("A refused request was not recorded", error));
      return toErrorReply(new SvcError("httpRoute.refused", {}), challenge === undefined ? {} : { "WWW-Authenticate": challenge });
    }
    case "unavailable":
      return toErrorReply(new SvcError("httpRoute.keysUnavailable", { retryAfterS: authentication.retryAfterS }));
  }
}

/** Returns whether the reply may be a stream: that of a new run, or of one that continues. The reply to `HEAD` has no body. */
function mayStream({ fields, trigger }: FoundHttpRoute, { httpMethod, headers }: APIGatewayProxyEvent): boolean {
  if (httpMethod === "HEAD") return false;
  const continues = parseEventId(headers["last-event-id"])?.run !== undefined;
  return continues || (fields.request_type === "sync_sse" && trigger.mode !== "suspended");
}

/** Callers of a route are strangers. Those who may read the run find its stack traces by its id. */
async function buildRunReply(
  deps: RequestContext,
  { workspace, fields }: FoundHttpRoute,
  run: HttpRouteRun,
  { cookies, recheck }: { cookies: CookieScope; recheck: () => Promise<void> },
): Promise<Reply> {
  switch (run.outcome) {
    case "ended": {
      const status = await chooseRunStatus(deps, workspace, run.result.state, fields.failed_status);
      return markReplay(buildResultReply(run.result, { status, isStranger: true, cookies }), run.replayed);
    }
    case "started":
      return markReplay(text(201, run.id, { "x-svc-job-id": run.id }), run.replayed);
    case "held":
      // A caller that waits for a result receives a reply without one.
      return markReplay(text(fields.request_type === "async" ? 201 : 202, run.id, { "x-svc-job-id": run.id }), run.replayed);
    case "streamed": {
      const { id, from, replayed } = run;
      const stream = { workspace, id, query: { only_result: true, fast: true }, from, isStranger: true };
      return markReplay(buildEventReply(deps, stream, recheck), replayed);
    }
  }
}

/** Ends the stream of a route that was disabled or deleted since, or whose caller's token was. */
async function recheckRoute(
  deps: RequestContext,
  { fields, trigger }: FoundHttpRoute,
  path: string,
  routeRequest: SentRequest,
): Promise<void> {
  const match = await deps.steps.findHttpRoute(deps, { method: fields.http_method, path });
  const now = match.outcome === "found" ? match.route : undefined;
  if (now?.trigger.id !== trigger.id || now.trigger.mode === "disabled") throw new SvcError("httpRoute.unknown", {});
  // Other credentials, such as a signature, may expire while the stream lasts.
  const hasOwnToken = now.fields.authentication_method === "svc" || now.fields.authentication_method === "windmill";
  if (!hasOwnToken) return;
  const { outcome } = await deps.steps.authenticateRequest(deps, now, routeRequest);
  if (outcome !== "admitted") throw new SvcError("httpRoute.refused", {});
}

function withoutBody({ httpMethod }: APIGatewayProxyEvent, reply: Reply): Reply {
  if (httpMethod !== "HEAD") return reply;
  const { chunks, ...others } = reply;
  return { ...others, body: "", isBase64Encoded: false };
}

/**
 * All replies of routes pass through here, including errors, so that none is rendered in the origin of the console, and none replaces its
 * session.
 */
function protectReply(hasOwnOrigin: boolean, reply: Reply): Reply {
  const headers = Object.entries(reply.headers ?? {}).filter(([name, value]) => {
    const named = name.toLowerCase();
    return named !== "content-security-policy" && !(named === "set-cookie" && setsOwnCookie(String(value)));
  });
  const policy = hasOwnOrigin ? {} : { "content-security-policy": SANDBOX };
  return { ...reply, headers: { "x-content-type-options": "nosniff", ...Object.fromEntries(headers), ...policy } };
}
