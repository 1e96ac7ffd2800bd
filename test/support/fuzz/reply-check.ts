import { validateHeaderName, validateHeaderValue } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { answers } from "../../../contract/errors.ts";
import type { Route } from "../../../contract/route.ts";
import { buildOpenapiDocument } from "../../../contract/routes/openapi.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";

interface Answer {
  content?: Record<string, { schema?: object }>;
  headers?: Record<string, { schema: { enum?: string[] } }>;
}
interface Documented {
  operationId: string;
  responses: Record<string, Answer>;
}

const statuses: Readonly<Record<string, number>> = Object.fromEntries(Object.entries(answers).map(([code, { status }]) => [code, status]));
/** Errors of the router, and refusals before it, belong to no operation. */
const ofRouter = new Set(["edge.bypassed", "route.unknown", "route.method"]);
/** A synchronous call whose job takes too long is no fault. */
const tooLong = "job.syncTimeout";

/** The routes of files that are the same for every caller, and of public keys. No cache may store another reply. */
const storable = new Set([
  "web.asset",
  "instance.referenceFile",
  "instance.cliPackage",
  "instance.clientPackage",
  "instance.configSchema",
  "oidc.jwks",
  "oidc.configuration",
]);

const FORMATS = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/,
};

/** Compares responses with the OpenAPI document. The internal routes of runners are not part of it. */
export function createReplyCheck(): (route: Route, reply: Reply | undefined) => string[] {
  const document = buildOpenapiDocument("https://svc.example");
  // Optimized code of so many schemas takes longer to make than it saves.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, formats: FORMATS, code: { optimize: false } });
  ajv.addSchema({ ...document, $id: "api" });
  const operations = new Map<string, { pointer: string; operation: Documented }>();
  for (const [path, methods] of Object.entries(document["paths"] as Record<string, Record<string, Documented>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(operation.operationId, { pointer: `#/paths/${toPointerPart(path)}/${method}/responses`, operation });
    }
  }
  const validators = new Map<string, ValidateFunction>();
  return (route, reply) => {
    if (!reply) return ["there is no reply"];
    const documented = operations.get(route.name);
    const differs = documented && !isRunResult(route, reply) ? describeDifference(reply, documented.operation.responses) : [];
    const faults = [...describeForm(route, reply), ...differs];
    if (faults.length > 0 || !documented || reply.statusCode >= 300 || !contentType(reply).startsWith("application/json")) return faults;
    const pointer = `api${documented.pointer}/${reply.statusCode}/content/application~1json/schema`;
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer });
    validators.set(pointer, validate);
    if (validate(JSON.parse(reply.body))) return [];
    return (validate.errors ?? [])
      .slice(0, 3)
      .map(({ instancePath, message }) => `the shape is not documented: ${instancePath} ${message}`);
  };
}

const toPointerPart = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** A failed run has a reply with the status that the workspace chooses, and no code. */
const isRunResult = ({ errors }: Route, reply: Reply): boolean =>
  errors.includes("reply.shape") && header(reply, "x-svc-job-state") !== "" && header(reply, "x-svc-error") === "";

const header = ({ headers = {} }: Reply, name: string): string =>
  String(Object.entries(headers).find(([sent]) => sent.toLowerCase() === name)?.[1] ?? "");
const contentType = (reply: Reply) => header(reply, "content-type");

/** The faults that no response may have: API Gateway answers an invalid one with 502. An error is one sentence with its code, also in the JSON of OAuth. */
function describeForm(route: Route, reply: Reply): string[] {
  const { statusCode, headers = {}, multiValueHeaders = {}, body } = reply;
  const faults: string[] = [];
  const pairs = [
    ...Object.entries(headers),
    ...Object.entries(multiValueHeaders).flatMap(([name, of]) => of.map((one) => [name, one] as const)),
  ];
  for (const [name, value] of pairs) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, String(value));
    } catch {
      faults.push(`the header ${name} cannot be sent`);
    }
  }
  if (typeof body !== "string") faults.push("the body is not a text");
  if (header(reply, "cache-control") !== "no-store" && !(statusCode < 400 && storable.has(route.name)))
    faults.push("a cache could store it");
  if (statusCode < 400 || isRunResult(route, reply)) return faults;
  const code = header(reply, "x-svc-error");
  if (statusCode >= 500 && code !== tooLong) faults.push(`the status is ${statusCode}`);
  if (statuses[code] !== statusCode) faults.push(`the code ${code} does not belong to the status ${statusCode}`);
  const expected = Object.keys(route.oauthErrors ?? {}).includes(code) ? "application/json" : "text/plain";
  if (!contentType(reply).startsWith(expected)) faults.push(`an error is ${contentType(reply)}`);
  if (!/\S \S/.test(body)) faults.push("an error has no sentence");
  return faults;
}

function describeDifference(reply: Reply, responses: Documented["responses"]): string[] {
  const { statusCode } = reply;
  const code = header(reply, "x-svc-error");
  if (ofRouter.has(code)) return [];
  const answer = responses[String(statusCode)];
  if (!answer) return [`the status ${statusCode} ${code} is not documented`];
  const codes = answer.headers?.["x-svc-error"]?.schema.enum;
  if (statusCode >= 400 && !codes?.includes(code)) return [`the code ${code} is not documented`];
  const types = Object.keys(answer.content ?? {});
  const type = contentType(reply).split(";")[0] ?? "";
  return types.includes("*/*") || types.includes(type) ? [] : [`the content type ${type} is not documented`];
}
