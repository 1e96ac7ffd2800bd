import * as z from "zod";
import { createDocument, createSchema, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { defined } from "../defined.ts";
import { answers } from "../errors.ts";
import type { Route, RouteFunction } from "../route.ts";
import { SERVICE_VERSION } from "../version.ts";
import { examples } from "./examples.ts";
import requestExamples from "./request-examples.json" with { type: "json" };
import { routes } from "./routes.ts";
import { missingTriggerKinds } from "./triggers/trigger-kind.ts";

const GREEDY = /\{(\w+)\+\}/;

/** Functions whose writes of one object may collide. */
const domainFunctions: ReadonlySet<RouteFunction> = new Set(["objects", "triggers", "jobs", "people"]);

/** Returns whether a route changes the workspace, which is not possible in an archived one. */
const changesWorkspace = ({ auth, fn, method, path }: Route) =>
  auth === "token" && path.includes("{workspace}") && (method !== "GET" || fn === "run" || fn === "stream");

const bodyCodes = ["body.tooLarge", "body.encoding", "body.notDecoded", "body.tooDeep", "body.number"] as const;

/** Returns the error responses of a route by status, each with its error codes. */
function errorResponses(route: Route): Record<string, { description: string; content: object; headers: object }> {
  const codes = [
    ...(["request.tooLong", "service.busy"] as const),
    ...(route.auth === "none" ? [] : (["auth.missing", "auth.invalid", "auth.forbidden"] as const)),
    ...(route.params || route.query ? (["query.invalid"] as const) : []),
    ...(route.payload ? ([...bodyCodes, "payload.form", "payload.cloudEvent", "payload.cloudEventBatch"] as const) : []),
    ...(route.body ? ([...bodyCodes, "body.notJson", "body.shape"] as const) : []),
    ...(route.form ? (["payload.form"] as const) : []),
    ...(domainFunctions.has(route.fn) && route.method !== "GET" ? (["write.collided"] as const) : []),
    ...(route.auth === "token" && route.path.includes("{workspace}") ? (["workspace.notFound"] as const) : []),
    ...(changesWorkspace(route) ? (["workspace.archived"] as const) : []),
    ...(route.version === "expected" ? (["object.versionChanged"] as const) : []),
    ...route.errors,
  ];
  const byStatus = new Map<number, Set<string>>();
  for (const code of codes) {
    const { status } = answers[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: `One sentence. Header x-svc-error is one of: ${[...of].join(", ")}.`,
        headers: { "x-svc-error": { schema: { type: "string", enum: [...of] } } },
        content: {
          "text/plain": { schema: { type: "string" } },
          ...(status === OAUTH_STATUS ? oauthContent(route) : {}),
          ...(returnsRun(route) ? anyContent : {}),
        },
      },
    ]),
  );
}

const anyContent = { "*/*": {} };

/** A run, or the setting for failed runs, determines the status and the type of the reply. */
const returnsRun = ({ errors }: Route) => errors.includes("reply.shape");
const runResponse = { default: { description: "The result of a run, with the status and the type that it chooses.", content: anyContent } };

/** The status of all errors in `oauthErrors`. */
const OAUTH_STATUS = 400;

/** Returns the JSON of the errors that OAuth 2.0 names. */
function oauthContent({ oauthErrors }: Route) {
  if (!oauthErrors) return {};
  const error = { type: "string", enum: Object.values(oauthErrors) };
  const properties = { error, error_description: { type: "string" } };
  return { "application/json": { schema: { type: "object", properties, required: ["error", "error_description"] } } };
}

/** An empty body counts as an empty object. */
const NOTHING = [undefined, {}];

/** A run route accepts any body. These content types have a special meaning. */
const anyBody = {
  required: false,
  content: {
    "application/json": { schema: {} },
    "application/x-www-form-urlencoded": { schema: { type: "object" as const } },
    "multipart/form-data": { schema: { type: "object" as const } },
    "application/cloudevents+json": { schema: { type: "object" as const } },
    "*/*": { schema: { type: "string" as const } },
  },
};

/** Before OpenAPI 3.2 and its `itemSchema`, the schema of a stream is that of each of its events. */
function serverSentEvent(event: z.ZodType) {
  const { schema } = createSchema(event, { io: "output" });
  return {
    type: "object" as const,
    properties: {
      id: { type: "string" as const },
      data: { type: "string" as const, contentMediaType: "application/json", contentSchema: schema },
    },
    required: ["data"],
  };
}

/** The tag of addresses that other clients call although this service has nothing to list there. */
const COMPATIBILITY = "compatibility";
const missingNouns: ReadonlySet<string> = new Set(missingTriggerKinds.map((kind) => `${kind}_triggers`));

function tagOf({ name }: Route): string {
  const noun = name.split(".")[0] ?? "other";
  return missingNouns.has(noun) ? COMPATIBILITY : noun;
}

const ifMatch = z.object({
  "If-Match": z
    .string()
    .optional()
    .meta({ description: "The `ETag` of the object that was read. If it has another version, the request is refused with status 409." }),
});
const etag = { description: "The version of the object, for `If-Match`.", schema: { type: "string" as const } };

function operation(route: Route): ZodOpenApiOperationObject {
  const example = examples[route.name];
  const shown = example
    ? { examples: { example: { summary: example.summary, value: example.body } } }
    : route.name in requestExamples && { example: requestExamples[route.name as keyof typeof requestExamples] };
  const { reply } = route;
  const answer =
    "text" in reply
      ? { description: reply.text, content: { "text/plain": { schema: { type: "string" as const } } } }
      : "events" in reply
        ? { description: reply.events, content: { "text/event-stream": { schema: serverSentEvent(reply.event) } } }
        : "bytes" in reply
          ? { description: reply.bytes, content: { "*/*": {} } }
          : {
              description: reply.csv ?? "The response.",
              content: {
                "application/json": { schema: reply.json as z.ZodType },
                ...(reply.csv ? { "text/csv": { schema: { type: "string" as const } } } : {}),
              },
            };
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(route.auth === "none" ? { security: [] } : {}),
    requestParams: {
      ...defined({ path: route.params, query: route.query }),
      ...(route.version === "expected" ? { header: ifMatch } : {}),
    },
    ...(route.payload && route.method !== "GET"
      ? { requestBody: { ...anyBody, content: { ...anyBody.content, "application/json": { schema: {}, ...shown } } } }
      : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !NOTHING.some((nothing) => route.body?.safeParse(nothing).success),
            content: {
              "application/json": { schema: route.body, ...shown },
              ...(route.form ? { "application/x-www-form-urlencoded": { schema: route.body } } : {}),
            },
          },
        }
      : {}),
    responses: {
      [String(route.status)]: route.version === "shown" ? { ...answer, headers: { ETag: etag } } : answer,
      ...errorResponses(route),
      ...(returnsRun(route) ? runResponse : {}),
    } as ZodOpenApiOperationObject["responses"],
  };
}

/** Describes the first steps in Markdown: the examples of the operations, in an order in which a reader can send them. */
function describeFirstSteps(baseUrl: string): string {
  const byName = new Map(Object.values<Route>(routes).map((route) => [route.name, route]));
  const steps = Object.entries(examples).map(([name, { summary, params, body }]) => {
    const { path = "/" } = byName.get(name) ?? {};
    const address = path.replace(/\{(\w+)\+?\}/g, (_, part: string) => params[part] ?? "");
    const command = `curl -sS --fail-with-body "${baseUrl}${address}" \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
    return `${summary}\n\n\`\`\`sh\n${command}\n\`\`\``;
  });
  return [
    'Scripts as webhooks: save a script, run it over HTTP, read its result. The examples below are also those of their operations. `$TOKEN` is a token of yours. If you are signed in to the console, this page sends the requests of "Try it out" with your session, so that it needs no token.',
    ...steps,
  ].join("\n\n");
}

/** Builds the OpenAPI 3.1 document of the API, without the internal routes of runners. */
export function buildOpenapiDocument(baseUrl: string): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of Object.values<Route>(routes)) {
    if (route.auth === "job") continue;
    const path = route.path.replace(GREEDY, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: SERVICE_VERSION,
      description: describeFirstSteps(baseUrl),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: [{ name: COMPATIBILITY, description: "Addresses that clients of this API family call. Their lists are always empty." }],
    security: [{ token: [] }, { cookie: [] }, { query: [] }],
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "token" },
        query: { type: "apiKey", in: "query", name: "token" },
      },
    },
    paths,
  });
  return { ...document };
}
