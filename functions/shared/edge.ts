import middy from "@middy/core";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import httpRouterHandler from "@middy/http-router";
import httpSecurityHeaders from "@middy/http-security-headers";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { z } from "zod";
import { toIssues } from "../../contract/errors/issues.ts";
import { describeError, isSvcError, SvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { buildPathPattern, type Route, type RouteInput } from "../../contract/route.ts";
import { readToken } from "./credentials.ts";
import { bodyBytes, jsonBody } from "./json-body.ts";
import { logger, logInvocation } from "./observe.ts";
import { type Reply, text } from "./reply.ts";

/** A checked call of one route, with who makes it. `auth` is what the function's `authenticate` answered. */
export interface Call<R extends Route, Auth> extends RouteInput<R> {
  auth: Auth;
  /** Names in lower case. */
  headers: Payload["headers"];
}

/** A route with what answers it. */
export interface Handled<Auth> {
  route: Route;
  handle: (call: Call<Route, Auth>) => Promise<Reply>;
}

/** Joins a route with its handler; the types of its parameters, query and body come from the contract. */
export function on<const R extends Route, Auth>(route: R, handle: (call: Call<R, Auth>) => Promise<Reply>): Handled<Auth> {
  return { route, handle: handle as Handled<Auth>["handle"] };
}

/** Called for every route before its body is looked at; throws `auth.*`. Nothing that comes with a route of `auth: "none"` is to be trusted. */
export type Authenticate<Auth> = (
  token: string | undefined,
  route: Route,
  params: Record<string, string>,
  query?: Readonly<Record<string, string | undefined>>,
) => Promise<Auth>;

/** What matters for answers that no browser renders; pages bring their own policy. The rest of the middleware's defaults are for pages. */
const API_HEADERS = {
  contentSecurityPolicy: false,
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  permissionsPolicy: false,
  dnsPrefetchControl: false,
  downloadOptions: false,
  permittedCrossDomainPolicies: false,
  poweredBy: false,
};

const GREEDY = /\{(\w+)\+\}$/;

/**
 * The Lambda handler of an API function: routes, authenticates, checks shapes, calls, and turns every error into one plain
 * sentence. It logs one line for each request, without its query, its path or any token.
 */
export function apiHandler<Auth>(handled: Handled<Auth>[], authenticate: Authenticate<Auth>) {
  const matched = new WeakMap<APIGatewayProxyEvent, Route>();
  const routes = handled.map(({ route, handle }) => ({
    method: route.method,
    path: route.path.replace(GREEDY, "{proxy+}"),
    handler: (event: APIGatewayProxyEvent) => {
      matched.set(event, route);
      return answer(event, route, handle, authenticate);
    },
  }));
  const notFoundResponse = ({ method, path }: { method: string; path: string }) => {
    const allowed = allowedMethods(handled, path).filter((other) => other !== method);
    return refuse(
      allowed.length > 0 ? new SvcError("route.method", { method, allowed }) : new SvcError("route.unknown", { method, path }),
      allowed.length > 0 ? { Allow: allowed.join(", ") } : {},
    );
  };
  const router = httpRouterHandler({ routes, notFoundResponse } as never) as (
    event: APIGatewayProxyEvent,
    context: Context,
  ) => Promise<Reply>;
  return middy<APIGatewayProxyEvent, Reply>()
    .use(httpHeaderNormalizer())
    .use({ after: ({ response }) => keepNamed(response?.headers) })
    .use(httpSecurityHeaders(API_HEADERS as never))
    .handler(async (event, context) => {
      const startedMs = Date.now();
      // The gateway's own parts belong to its resource tree; the router would let them win over the route's.
      event.pathParameters = null;
      // The specification spells some job routes with `job_u`: the same routes (api.md §2.2).
      event.path = event.path.replace(/^(\/api\/w\/[^/]+)\/job_u\//, "$1/jobs_u/");
      // The gateway has decoded it, and the router's patterns end at a line's end.
      event.path = event.path.replace(/[\n\r\u2028\u2029]/g, encodeURIComponent);
      const reply = await guarded(() => router(event, context));
      await logInvocation("request", context, {
        // The route's name and not its path: somebody may put a whole token where its first characters belong.
        route: matched.get(event)?.name ?? "unknown",
        workspace: /^\/api\/w\/([a-z0-9_-]{1,50})\//.exec(event.path)?.[1],
        status: reply.statusCode,
        ms: Date.now() - startedMs,
        job: reply.headers?.["x-svc-job-id"],
      });
      return reply;
    });
}

/** Of the origin, and not of one reply on it. */
const ORIGINS_OWN = "strict-transport-security";

/** A header that a reply names in lower case stands as it is: the middleware would write its own, in capitals, over it. */
function keepNamed(headers: Reply["headers"] = {}): void {
  for (const name of Object.keys(headers)) {
    const named = name.toLowerCase();
    if (named === name || !Object.hasOwn(headers, named)) continue;
    delete headers[named === ORIGINS_OWN ? named : name];
  }
}

async function answer<Auth>(
  event: APIGatewayProxyEvent,
  route: Route,
  handle: Handled<Auth>["handle"],
  authenticate: Authenticate<Auth>,
): Promise<Reply> {
  const raw = pathParameters(event, route);
  const params = route.params ? parse(route.params, raw, "query.invalid") : undefined;
  const auth = await authenticate(readToken(event), route, raw, event.queryStringParameters ?? {});
  const query = route.query ? parse(route.query, event.queryStringParameters ?? {}, "query.invalid") : undefined;
  const sent = route.body ? jsonBody(event) : undefined;
  const body = route.body ? parse(route.body, sent, "body.shape") : undefined;
  const payload = route.payload ? payloadOf(event) : undefined;
  return handle({ params, query, body, sent, payload, auth, headers: event.headers } as Call<Route, Auth>);
}

function payloadOf(event: APIGatewayProxyEvent): Payload {
  return {
    method: event.httpMethod,
    headers: joinedHeaders(event),
    query: event.multiValueQueryStringParameters ?? {},
    bytes: bodyBytes(event),
  };
}

/** API Gateway names the last value of a header that came more than once; RFC 9110 §5.2 joins them. */
function joinedHeaders({ headers, multiValueHeaders }: APIGatewayProxyEvent): Payload["headers"] {
  const several = Object.entries(multiValueHeaders ?? {}).filter(([, values]) => values && values.length > 1);
  if (several.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(several.map(([name, values]) => [name, values?.join(name === "cookie" ? "; " : ", ")])) };
}

/** What the path's parts are, decoded; a greedy tail keeps its slashes. */
function pathParameters(event: APIGatewayProxyEvent, route: Route): Record<string, string> {
  const { proxy, ...named } = (event.pathParameters ?? {}) as Record<string, string>;
  const greedy = GREEDY.exec(route.path)?.[1];
  const params = greedy === undefined ? named : { ...named, [greedy]: proxy ?? "" };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decode(value)]));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A value with a stray percent sign stays as it is.
    return value;
  }
}

function parse<S extends z.ZodType>(schema: S, value: unknown, code: "query.invalid" | "body.shape"): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SvcError(code, { issues: toIssues(parsed.error, value) }, { cause: parsed.error });
}

async function guarded(run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    if (isSvcError(error)) return refuse(error);
    logger.error("unexpected", error as Error);
    return text(500, "An internal error occurred. The log contains it under the id of this request.", { "x-svc-error": "internal" });
  }
}

/** The response for an error: its status, its sentence and the headers that belong to its code. */
export function refuse(error: SvcError, headers: Record<string, string> = {}): Reply {
  const { status, sentence } = describeError(error);
  return text(status, sentence, {
    "x-svc-error": error.code,
    ...(status === 429 ? { "Retry-After": String(retryAfterS(error)) } : {}),
    ...(error.code === "job.syncTimeout" ? { "x-svc-job-id": (error as SvcError<"job.syncTimeout">).details.id } : {}),
    ...headers,
  });
}

/** Seconds until a refused request may succeed: the error's own value if it has one, otherwise 1. */
function retryAfterS({ details }: SvcError): number {
  return "retryAfterS" in details ? details.retryAfterS : 1;
}

/** Which methods an unknown call's path would take: the difference between 404 and 405. */
function allowedMethods<Auth>(handled: Handled<Auth>[], path: string): string[] {
  const matching = handled.filter(({ route }) => buildPathPattern(route).test(path));
  return [...new Set(matching.map(({ route }) => route.method))];
}
