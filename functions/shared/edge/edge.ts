import middy from "@middy/core";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import httpRouterHandler from "@middy/http-router";
import httpSecurityHeaders from "@middy/http-security-headers";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { z } from "zod";
import { workspaceId } from "../../../contract/common.ts";
import { defined } from "../../../contract/defined.ts";
import { CHANGE_HEADER, ISSUES_HEADER, type Issues } from "../../../contract/errors/answer.ts";
import { toIssues } from "../../../contract/errors/issues.ts";
import { describeError, isSvcError, SvcError } from "../../../contract/errors.ts";
import type { Payload } from "../../../contract/payload.ts";
import { buildPathPattern, type Route, type RouteInput } from "../../../contract/route.ts";
import { parseFormText } from "../../../core/payload/form-text.ts";
import { parseIfMatch } from "../../../core/reply/etag.ts";
import { toLoggedClient } from "../logged-client.ts";
import { logger, logInvocation } from "../observe.ts";
import { carryStatus } from "../reply/carried-status.ts";
import { type NamedReply, type Reply, text } from "../reply/reply.ts";
import { parseJsonBody, readBodyBytes } from "../request/body.ts";
import { readToken } from "../request/credentials.ts";
import { parseBody } from "../request/parse-body.ts";
import { passEdge } from "./pass-edge.ts";

/** A validated call of a route. `auth` is the result of the function's `authenticate`. */
export interface Call<R extends Route, Auth> extends RouteInput<R> {
  auth: Auth;
  /** Header names are in lower case. */
  headers: Payload["headers"];
  /** The caller's network address. */
  address: string;
}

/** A route with its handler. */
export interface RouteHandler<Auth> {
  route: Route;
  handle: (call: Call<Route, Auth>) => Promise<Reply | NamedReply>;
}

/** The reply of a route's handler, which names the changed object if the route declares that. */
type ReplyOf<R extends Route> = R extends { audits: { resource: { reply: "named" } } } ? NamedReply : Reply;

/** Joins a route with its handler; the types of its parameters, query, body and reply come from the contract. */
export function on<const R extends Route, Auth>(route: R, handle: (call: Call<R, Auth>) => Promise<ReplyOf<R>>): RouteHandler<Auth> {
  return { route, handle: handle as RouteHandler<Auth>["handle"] };
}

/** Returns the handler of a route with the entries in the audit log that the route declares. */
type Auditor<Auth> = (handler: RouteHandler<Auth>) => RouteHandler<Auth>;

/** No function answers a route without the entries that the route declares. */
function refuseAudited<Auth>(handler: RouteHandler<Auth>): RouteHandler<Auth> {
  if (typeof handler.route.audits === "object") throw new Error(`The function of ${handler.route.name} writes no audit log.`);
  return handler;
}

/** Called for every route before its body is parsed. Throws `auth.*`. On routes with `auth: "none"` its result must not be trusted. */
export type Authenticate<Auth> = (
  token: string | undefined,
  route: Route,
  params: Record<string, string>,
  query?: Readonly<Record<string, string | undefined>>,
) => Promise<Auth>;

/**
 * Security headers for responses that browsers do not render. Pages set their own policy. The middleware's other defaults are for pages.
 */
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
 * Creates the Lambda handler of an API function. It routes, authenticates, validates, calls the route's handler, and turns every error into
 * one sentence. It logs one line for each request, without its query, its path or any token.
 */
export function apiHandler<Auth>(
  handled: RouteHandler<Auth>[],
  authenticate: Authenticate<Auth>,
  audit: Auditor<Auth> = refuseAudited<Auth>,
) {
  const routes = handled.map(audit).map(({ route, handle }) => ({
    method: route.method,
    path: route.path.replace(GREEDY, "{proxy+}"),
    handler: (event: EdgeEvent) => answerCall(event, route, handle, authenticate),
  }));
  const notFoundResponse = ({ method, path }: { method: string; path: string }) => {
    const allowed = listAllowedMethods(handled, path).filter((other) => other !== method);
    return toErrorReply(
      allowed.length > 0 ? new SvcError("route.method", { method, allowed }) : new SvcError("route.unknown", { method, path }),
      allowed.length > 0 ? { Allow: allowed.join(", ") } : {},
    );
  };
  const router = httpRouterHandler<EdgeEvent, Reply>({ routes, notFoundResponse });
  return edgeHandler((event, context, edge) => {
    // The specification also spells job routes with `job_u` (api.md §2.2).
    const path = event.path.toWellFormed().replace(/^(\/api\/w\/[^/]+)\/job_u\//, "$1/jobs_u/");
    // The gateway's path parameters belong to its resource tree and would override those of the router.
    return router({ ...event, path, pathParameters: null, edge }, context);
  });
}

/** The facts about a request that its edge knows, and what the handler adds. */
export interface EdgeCall {
  /** The caller's network address. */
  readonly address: string;
  /** The fields of the line in the log that the handler knows: the route's name and not its path, because a caller may send a whole token in it. */
  readonly log: { route: string; workspace?: string };
  /** The reply carries its status for CloudFront (`carryStatus`), after the line in the log, which contains the status that the caller receives. */
  carriesStatus: boolean;
}

type EdgeEvent = APIGatewayProxyEvent & { edge: EdgeCall };

/**
 * Creates the Lambda handler of a function that API Gateway calls. It refuses requests that bypass CloudFront, turns every error into one sentence, adds the security headers of this
 * origin, and logs one line for each request.
 */
export function edgeHandler(answer: (event: APIGatewayProxyEvent, context: Context, edge: EdgeCall) => Promise<Reply>) {
  return middy<APIGatewayProxyEvent, Reply>()
    .use(httpHeaderNormalizer())
    .use({ after: ({ response }) => preferNamedHeaders(response?.headers) })
    .use({ after: ({ response }) => encodeLocation(response?.headers) })
    .use({ after: ({ response }) => forbidStorage(response) })
    .use(httpSecurityHeaders(API_HEADERS))
    .handler(async (event, context) => {
      const startedMs = Date.now();
      const { address, isAdmitted } = passEdge(event);
      const edge: EdgeCall = { address, log: { route: "unknown" }, carriesStatus: false };
      const reply = await replyOnError(async () => {
        if (!isAdmitted) throw new SvcError("edge.bypassed", {});
        return answer(event, context, edge);
      });
      await logInvocation("request", context, {
        ...edge.log,
        status: reply.statusCode,
        ms: Date.now() - startedMs,
        job: reply.headers?.["x-svc-job-id"],
        client: toLoggedClient(address),
      });
      return edge.carriesStatus ? carryStatus(reply) : reply;
    });
}

/** Applies to the whole origin, so replies must not override it. */
const ORIGIN_HEADER = "strict-transport-security";

/** Preserves headers that a reply has in lower case; the middleware would add its own in capitals. */
function preferNamedHeaders(headers: Reply["headers"] = {}): void {
  for (const name of Object.keys(headers)) {
    const named = name.toLowerCase();
    if (named === name || !Object.hasOwn(headers, named)) continue;
    delete headers[named === ORIGIN_HEADER ? named : name];
  }
}

/** No cache stores a reply that names no other rule: a copy would outlast the rights of its caller. */
function forbidStorage(reply: Reply | null): void {
  if (!reply || Object.keys(reply.headers ?? {}).some((name) => name.toLowerCase() === "cache-control")) return;
  reply.headers = { ...reply.headers, "cache-control": "no-store" };
}

/**
 * Encodes characters that no URL may contain, such as line breaks, in the target of a redirect: API Gateway answers a reply with such a header
 * with an error.
 */
function encodeLocation(headers: Reply["headers"] = {}): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== "location") continue;
    headers[name] = String(value)
      .toWellFormed()
      .replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) => encodeURIComponent(char));
  }
}

async function answerCall<Auth>(
  event: EdgeEvent,
  route: Route,
  handle: RouteHandler<Auth>["handle"],
  authenticate: Authenticate<Auth>,
): Promise<Reply> {
  const { address, log } = event.edge;
  const raw = decodePathParameters(event, route);
  Object.assign(log, { route: route.name, ...defined({ workspace: workspaceId.safeParse(raw["workspace"]).data }) });
  const params = route.params ? parseInput(route.params, raw, "query.invalid") : undefined;
  const sentQuery = toWellFormedTexts(event.queryStringParameters);
  const auth = await authenticate(readToken(event, route), route, raw, sentQuery);
  const query = route.query ? parseInput(route.query, sentQuery, "query.invalid") : undefined;
  const rawBody = route.body ? await parseSentBody(event, route) : undefined;
  const body = route.body ? requireParsed(parseBody(route.body, rawBody), rawBody, "body.shape") : undefined;
  const readBody = route.payload ? () => readPayload(event) : undefined;
  const ignored = await checkFields(route, sentQuery, rawBody);
  const expected = route.version === "expected" ? parseIfMatch(event.headers["if-match"]) : undefined;
  const { audited: _, ...reply } = await handle({
    params,
    query,
    body,
    rawBody,
    expected,
    readPayload: readBody,
    auth,
    headers: event.headers,
    address,
  } as Call<Route, Auth>);
  return { ...reply, headers: { ...reply.headers, ...ignored } };
}

/** The check is loaded with the first fields, so that functions start as quickly as without it. */
async function checkFields(route: Route, query: Record<string, string | undefined>, rawBody: unknown): Promise<Record<string, string>> {
  if (!route.body && Object.keys(query).length === 0) return {};
  return (await import("../request/unknown-input.ts")).checkFields(route, query, rawBody);
}

/** Returns the body of a request. Programs that know OAuth send forms. A repeated name becomes a list, which the schemas of forms refuse. */
async function parseSentBody(event: APIGatewayProxyEvent, { form }: Route): Promise<unknown> {
  const type = event.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  return form && type === FORM_TYPE ? parseFormText((await readBodyBytes(event)).toString()) : parseJsonBody(event);
}
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Half a surrogate pair becomes U+FFFD, because no store accepts it. */
const toWellFormedTexts = (texts: Readonly<Record<string, string | undefined>> | null): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(texts ?? {}).map(([name, value]) => [name, value?.toWellFormed()]));

/** Returns a request whose body may be anything. Throws `body.tooLarge`, `body.encoding` and `body.notDecoded`. */
async function readPayload(event: APIGatewayProxyEvent): Promise<Payload> {
  return { ...readPayloadHead(event), bytes: await readBodyBytes(event) };
}

/** Returns the parts of a request for which its body need not be decoded. */
export function readPayloadHead(event: APIGatewayProxyEvent): Omit<Payload, "bytes"> {
  return { method: event.httpMethod, headers: joinHeaders(event), query: event.multiValueQueryStringParameters ?? {} };
}

/** API Gateway gives the last value of a repeated header; RFC 9110 §5.2 joins them. */
function joinHeaders({ headers, multiValueHeaders }: APIGatewayProxyEvent): Payload["headers"] {
  const several = Object.entries(multiValueHeaders ?? {}).filter(([, values]) => values && values.length > 1);
  if (several.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(several.map(([name, values]) => [name, values?.join(name === "cookie" ? "; " : ", ")])) };
}

/** Decodes the path parameters, once: API Gateway passes the path of a REST API unchanged. A greedy parameter retains its slashes. */
function decodePathParameters(event: APIGatewayProxyEvent, route: Route): Record<string, string> {
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

function parseInput<S extends z.ZodType>(schema: S, value: unknown, code: "query.invalid" | "body.shape"): z.output<S> {
  return requireParsed(schema.safeParse(value), value, code);
}

function requireParsed<T>(parsed: z.ZodSafeParseResult<T>, value: unknown, code: "query.invalid" | "body.shape"): T {
  if (parsed.success) return parsed.data;
  throw new SvcError(code, { issues: toIssues(parsed.error, value) }, { cause: parsed.error });
}

/** Returns the reply of `run`, or that of the error that it throws. */
export async function replyOnError(run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    if (isSvcError(error)) return toErrorReply(error);
    logger.error("unexpected", error as Error);
    return text(500, "An internal error occurred. The log contains it under the id of this request.", { "x-svc-error": "internal" });
  }
}

/** Returns the reply for an error: its status, its sentence and the headers that belong to its code. */
export function toErrorReply(error: SvcError, headers: Record<string, string> = {}): Reply {
  const { status, sentence } = describeError(error);
  return text(status, sentence, {
    "x-svc-error": error.code,
    ...(status === 429 || "retryAfterS" in error.details ? { "Retry-After": String(retryAfterS(error)) } : {}),
    ...("issues" in error.details ? buildIssuesHeader(error.details.issues) : {}),
    ...(error.code === "object.versionChanged" ? buildChangeHeader((error as SvcError<"object.versionChanged">).details) : {}),
    ...(error.code === "body.encoding" ? { "Accept-Encoding": "gzip, deflate, br" } : {}),
    ...(error.code === "job.syncTimeout" ? { "x-svc-job-id": (error as SvcError<"job.syncTimeout">).details.id } : {}),
    ...headers,
  });
}

/** Returns JSON for a header, which contains ASCII only. JSON escapes line ends, so no text can begin another header. */
const toAsciiJson = (value: unknown) =>
  JSON.stringify(value).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns the header with the author and the time of the newer version, if they are known. */
const buildChangeHeader = ({ by, at }: { by?: string; at?: string }) =>
  by === undefined ? {} : { [CHANGE_HEADER]: toAsciiJson({ by, at }) };

/** Headers of a reply have at most 10 KB together. */
const ISSUES_CHARS = 4000;

/** Returns the header with the issues whose places or steps are known, as far as they fit. */
function buildIssuesHeader(issues: Issues): Record<string, string> {
  const shown: string[] = [];
  let chars = 0;
  for (const { at, step, reason } of issues) {
    if (!at?.length && step === undefined) continue;
    const json = toAsciiJson({ at, step, reason });
    chars += json.length + 1;
    if (chars <= ISSUES_CHARS) shown.push(json);
  }
  return shown.length > 0 ? { [ISSUES_HEADER]: `[${shown.join(",")}]` } : {};
}

/** Returns the seconds until a refused request may succeed: the error's own value, or 1. */
function retryAfterS({ details }: SvcError): number {
  return "retryAfterS" in details ? details.retryAfterS : 1;
}

/** Returns the methods of the routes that match a path, to distinguish 405 from 404. */
function listAllowedMethods<Auth>(handled: RouteHandler<Auth>[], path: string): string[] {
  const matching = handled.filter(({ route }) => buildPathPattern(route).test(path));
  return [...new Set(matching.map(({ route }) => route.method))];
}
