import type { OpenapiRequest } from "../../contract/routes/triggers/openapi-documents.ts";
import type { Components, DocumentedRunnable } from "./parts.ts";
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
export function buildDocument({ info, url }: Pick<OpenapiRequest, "info" | "url">, content: DocumentContent): Json {
  const { workspace, baseUrl, routesUrl, routes, webhooks } = content;
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
    paths: Object.fromEntries(paths),
    ...(Object.keys(parts).length > 0 ? { components: parts } : {}),
  };
}

const sorted = (parts: Map<string, Json>) => Object.fromEntries([...parts].sort(([a], [b]) => compareTexts(a, b)));
