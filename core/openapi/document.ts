import { isJsonObject } from "../../contract/json/json-object.ts";
import type { OpenapiRequest } from "../../contract/routes/triggers/openapi-documents.ts";
import { type Components, type DocumentedRunnable, findTags } from "./parts.ts";
import { addHttpRoute, type DocumentedRoute } from "./route-operations.ts";
import { buildWebhookOperations } from "./webhook-operations.ts";

type Json = Record<string, unknown>;

export interface DocumentContent {
  workspace: string;
  /** The address of the service, without a slash at its end. */
  baseUrl: string;
  /** The address of the routes, if they have a separate domain. */
  routesUrl?: string | undefined;
  routes: readonly DocumentedRoute[];
  webhooks: readonly DocumentedRunnable[];
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Builds the OpenAPI 3.1 document of routes and webhooks, sorted by their addresses. */
export function buildDocument({ info, url, tags }: Pick<OpenapiRequest, "info" | "url" | "tags">, content: DocumentContent): Json {
  const { workspace, baseUrl, routesUrl } = content;
  const hasTag = (found: readonly string[]) => !tags || found.some((tag) => tags.includes(tag));
  const routes = content.routes.filter(({ path, labels, runnable }) => hasTag(findTags(path, labels, runnable?.labels)));
  const webhooks = content.webhooks.filter(({ path, labels }) => hasTag(findTags(path, labels)));
  const components: Components = { schemas: new Map(), securitySchemes: new Map() };
  const paths = new Map<string, Json>();
  const byShape = new Map<string, string>();
  // `:name` before `*name`, which matches the remaining paths.
  const sortKey = ({ address, fields }: DocumentedRoute) => `${address.replaceAll("*", "~")} ${fields.http_method}`;
  for (const route of routes.toSorted((a, b) => compareTexts(sortKey(a), sortKey(b)))) addHttpRoute({ paths, byShape }, components, route);
  if (routesUrl !== undefined && url === undefined)
    for (const [path, item] of paths) paths.set(path, { servers: [{ url: routesUrl }], ...item });
  for (const runnable of webhooks.toSorted((a, b) => compareTexts(`${a.kind} ${a.path}`, `${b.kind} ${b.path}`))) {
    for (const [path, operation] of buildWebhookOperations(workspace, runnable, components)) paths.set(path, { post: operation });
  }
  const { title, version, ...more } = info ?? {};
  const parts = {
    ...(components.schemas.size > 0 ? { schemas: sorted(components.schemas) } : {}),
    ...(components.securitySchemes.size > 0 ? { securitySchemes: sorted(components.securitySchemes) } : {}),
  };
  return {
    openapi: "3.1.0",
    info: { title: title ?? `API of ${workspace}`, version: version ?? "1.0.0", ...more },
    servers: [{ url: (url ?? baseUrl).replace(/\/$/, "") }],
    ...listTags(paths),
    paths: Object.fromEntries(paths),
    ...(Object.keys(parts).length > 0 ? { components: parts } : {}),
  };
}

/** Lists the tags of the operations, because viewers group by them. */
function listTags(paths: ReadonlyMap<string, Json>): Json {
  const items = [...paths.values()].flatMap((item) => Object.values(item));
  const names = new Set(items.flatMap((operation) => (isJsonObject(operation) ? ((operation["tags"] ?? []) as string[]) : [])));
  return names.size > 0 ? { tags: [...names].sort(compareTexts).map((name) => ({ name })) } : {};
}

const sorted = (parts: Map<string, Json>) => Object.fromEntries([...parts].sort(([a], [b]) => compareTexts(a, b)));
