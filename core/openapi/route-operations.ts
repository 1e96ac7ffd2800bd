import { isJsonObject } from "../../contract/json/json-object.ts";
import { ROUTES_PREFIX } from "../../contract/route.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { buildOperationId } from "./operation-id.ts";
import {
  addArguments,
  type Components,
  type DocumentedRunnable,
  describeOperation,
  findTags,
  jsonBody,
  requireBearer,
  responsesOf,
} from "./parts.ts";
import { withoutProperties } from "./shape.ts";

type Json = Record<string, unknown>;

/** An HTTP route in a document. */
export interface DocumentedRoute {
  /** The path of its trigger. */
  path: string;
  /** The address below `/api/r/`, such as `shop/orders/:id`. */
  address: string;
  fields: HttpFields;
  labels?: readonly string[] | undefined;
  /** Absent if there is none, or if the caller may not read it. */
  runnable?: DocumentedRunnable | undefined;
  /** The header of the API key, where the caller may read the resource. */
  apiKeyHeader?: string | undefined;
}

/** The header of `api_key_auth` if the resource names none. */
const API_KEY_HEADER = "X-API-Key";
const HEADER = /^[A-Za-z0-9_-]{1,100}$/;

interface Parameter {
  name: string;
  isRest: boolean;
}

/** The paths of a document, and the path of each shape: an address without the names of its parameters. */
export interface RoutePaths {
  paths: Map<string, Json>;
  byShape: Map<string, string>;
}

/**
 * Adds the operation of a route to the paths. OpenAPI treats paths that differ only in the names of their parameters as equal. Such routes share
 * a path and the names of the first route. A second route with the same method, which can only be `*name` next to `:name`, is mentioned in the
 * description of the first.
 */
export function addHttpRoute({ paths, byShape }: RoutePaths, components: Components, route: DocumentedRoute): void {
  const parts = route.address.split("/");
  const parameters = parts.flatMap((part): Parameter[] =>
    /^[:*]/.test(part) ? [{ name: part.slice(1), isRest: part.startsWith("*") }] : [],
  );
  const toTemplate = (names: readonly string[]) => {
    let next = 0;
    return `${ROUTES_PREFIX}/${parts.map((part) => (/^[:*]/.test(part) ? `{${names[next++]}}` : encodeURI(part))).join("/")}`;
  };
  const shape = toTemplate(parameters.map(() => ""));
  const existing = byShape.get(shape);
  const names =
    existing === undefined ? parameters.map(({ name }) => name) : [...existing.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? "");
  const path = existing ?? toTemplate(names);
  const item = paths.get(path) ?? {};
  const method = route.fields.http_method;
  const first = item[method];
  if (isJsonObject(first)) {
    const sentence = `Longer paths are answered by the route ${route.path}.`;
    item[method] = { ...first, description: [first["description"], sentence].filter(Boolean).join("\n\n") };
  } else {
    item[method] = buildOperation(
      components,
      route,
      parameters.map((parameter, index) => ({ ...parameter, shown: names[index] ?? "" })),
    );
  }
  paths.set(path, item);
  byShape.set(shape, path);
}

function buildOperation(components: Components, route: DocumentedRoute, parameters: readonly (Parameter & { shown: string })[]): Json {
  const { fields, runnable } = route;
  const isFile = fields.is_static_website || fields.static_asset_config != null;
  const args = runnable && !isFile ? describeArguments(components, fields, runnable, parameters) : undefined;
  const inPath = parameters.map(({ name, shown, isRest }) => ({
    name: shown,
    in: "path",
    required: true,
    ...describeParameter(runnable, name, isRest),
    schema: { type: "string" },
  }));
  const inQuery = args && fields.http_method === "get" ? [payloadParameter(args.schema, args.required)] : [];
  return {
    operationId: buildOperationId("route", route.path),
    tags: findTags(route.path, route.labels, runnable?.labels),
    ...describeOperation(fields.summary ?? runnable?.summary, fields.description ?? runnable?.description),
    security: buildSecurity(components, route),
    ...(inPath.length + inQuery.length > 0 ? { parameters: [...inPath, ...inQuery] } : {}),
    ...(args && fields.http_method !== "get" ? jsonBody(args.schema, args.required) : {}),
    responses: isFile ? FILE_RESPONSES : responsesOf(fields.request_type),
  };
}

const FILE_RESPONSES = {
  "200": { description: "The file.", content: { "*/*": {} } },
  default: { description: "There is no such file.", content: { "text/plain": { schema: { type: "string" } } } },
};

function describeParameter(runnable: DocumentedRunnable | undefined, name: string, isRest: boolean): Json {
  const properties = runnable?.schema?.["properties"];
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const ownDescription = isJsonObject(property) && typeof property["description"] === "string" ? property["description"] : "";
  const description = [ownDescription, isRest ? "It may contain slashes." : ""].filter((sentence) => sentence !== "").join(" ");
  return description === "" ? {} : { description };
}

/** A GET request has no body. Its arguments are JSON in base64. */
const payloadParameter = (schema: Json, required: boolean): Json => ({
  name: "payload",
  in: "query",
  required,
  description: "The arguments: a JSON object, encoded in base64.",
  schema: { type: "string", contentEncoding: "base64", contentMediaType: "application/json", contentSchema: schema },
});

/** Returns the shape of a caller's body: the arguments without those that the path and the authentication set. */
function describeArguments(
  components: Components,
  httpFields: HttpFields,
  runnable: DocumentedRunnable,
  parameters: readonly Parameter[],
): { schema: Json; required: boolean } {
  const name = addArguments(components, runnable);
  const shape = name === undefined ? undefined : components.schemas.get(name);
  if (name === undefined || shape === undefined) return { schema: {}, required: false };
  const properties = isJsonObject(shape["properties"]) ? shape["properties"] : {};
  const isRequired = (among: Json) => Array.isArray(among["required"]) && among["required"].length > 0;
  if (httpFields.wrap_body && httpFields.http_method !== "get") {
    const wrapped = Object.hasOwn(properties, "body") ? { $ref: `#/components/schemas/${name}/properties/body` } : {};
    return { schema: wrapped, required: Array.isArray(shape["required"]) && shape["required"].includes("body") };
  }
  const set = new Set([
    ...parameters.map((parameter) => parameter.name),
    ...(httpFields.authentication_method === "jwt" ? ["jwt"] : []),
    ...(httpFields.raw_string || httpFields.authentication_method === "custom_script" ? ["raw_string"] : []),
  ]);
  if (!Object.keys(properties).some((property) => set.has(property))) {
    return { schema: { $ref: `#/components/schemas/${name}` }, required: isRequired(shape) };
  }
  const rest = withoutProperties(shape, set);
  return { schema: rest, required: isRequired(rest) };
}

/** OpenAPI cannot express signatures and checks by scripts. */
function buildSecurity(components: Components, { fields, apiKeyHeader }: DocumentedRoute): Json[] {
  const { securitySchemes } = components;
  switch (fields.authentication_method) {
    case "basic_http":
      securitySchemes.set("basic", { type: "http", scheme: "basic" });
      return [{ basic: [] }];
    case "api_key": {
      const header = apiKeyHeader !== undefined && HEADER.test(apiKeyHeader) ? apiKeyHeader : API_KEY_HEADER;
      securitySchemes.set(`apiKey-${header}`, { type: "apiKey", in: "header", name: header });
      return [{ [`apiKey-${header}`]: [] }];
    }
    case "jwt":
    case "svc":
    case "windmill":
      return requireBearer(components);
    default:
      return [];
  }
}
