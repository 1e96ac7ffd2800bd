import * as z from "zod";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import type { OpenapiRequest } from "../../contract/routes/triggers/openapi-documents.ts";
import { flowBodyObject, flowListingObject } from "../../core/flows/version.ts";
import { toHttpRouteAddress } from "../../core/http-routes/address.ts";
import type { ObjectKey, StoredObject } from "../../core/objects/write.ts";
import { buildDocument } from "../../core/openapi/document.ts";
import type { DocumentedRunnable } from "../../core/openapi/parts.ts";
import type { DocumentedRoute } from "../../core/openapi/route-operations.ts";
import { type RunnableKind, readSelection } from "../../core/openapi/select.ts";
import { formatYaml } from "../../core/openapi/yaml.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { parseResourceValue, resourceObject } from "../../core/resources/resource.ts";
import { chooseSchema, scriptBodyObject, scriptListingObject } from "../../core/scripts/version.ts";
import { type StoredTrigger, triggerObject } from "../../core/triggers/trigger.ts";
import { createPathFilter } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";

/** Lambda returns at most 6 MB, and escapes the text once more in its reply. */
const MOST_BYTES = 4_500_000;

const routeAccess = { domain: "http_triggers", verb: "read", need: "read", target: "path", hiddenAs: "trigger.notFound" } as const;
const flowAccess = { domain: "flows", verb: "read", need: "read", target: "path", hiddenAs: "flow.notFound" } as const;

const listings = { script: scriptListingObject, flow: flowListingObject };
const argumentsSchema = z.record(z.string(), z.unknown());
const versionSchema = z.object({ sent: z.object({ schema: argumentsSchema.nullish() }), inferredSchema: argumentsSchema.optional() });

/** A script or flow with the key of its newest version, which contains its schema. */
type FoundRunnable = DocumentedRunnable & { bodyKey: ObjectKey };

/**
 * Generates the OpenAPI document of the routes and webhooks that a request selects and that the caller may read, as YAML or JSON. Throws
 * `body.shape` for an expression that cannot be read, and `openapi.tooLarge`.
 */
export async function generateOpenapi(
  deps: Uses<"objects" | "baseUrl" | "routesUrl">,
  caller: WorkspaceCaller,
  request: OpenapiRequest,
): Promise<string> {
  const { workspace } = caller;
  const { matchesRoute, matchesWebhook } = readSelection(request);
  const mayRead = {
    route: createPathFilter(caller, routeAccess),
    script: createPathFilter(caller, actions.readScript.access),
    flow: createPathFilter(caller, flowAccess),
    resource: createPathFilter(caller, actions.readResource.access),
  };
  const listed = matchesRoute ? await deps.objects.list(triggerObject.partitionKey(workspace, "http")) : [];
  const routes = triggerObject
    .parseReadable(listed)
    .filter(({ path, own, mode }) => mode !== "disabled" && mayRead.route(path) && matchesRoute?.(path, String(own["route_path"])));
  const [runnables, headers] = await Promise.all([
    loadRunnables(deps, workspace, matchesWebhook ? undefined : routes),
    loadApiKeyHeaders(deps, workspace, routes, mayRead.resource),
  ]);
  const used = new Set(routes.map(({ isFlow, scriptPath }) => `${isFlow ? "flow" : "script"}/${scriptPath}`));
  const readable = await loadSchemas(
    deps,
    runnables.filter(({ kind, path }) => mayRead[kind](path) && (used.has(`${kind}/${path}`) || matchesWebhook?.(kind, path))),
  );
  const byPath = new Map(readable.map((runnable) => [`${runnable.kind}/${runnable.path}`, runnable]));
  const document = buildDocument(request, {
    workspace,
    baseUrl: deps.baseUrl,
    routesUrl: deps.routesUrl,
    routes: routes.map(({ path, own, labels, isFlow, scriptPath }): DocumentedRoute => {
      const fields = own as HttpFields;
      return {
        path,
        fields,
        labels,
        address: toHttpRouteAddress(workspace, fields).address,
        runnable: byPath.get(`${isFlow ? "flow" : "script"}/${scriptPath}`),
        apiKeyHeader: headers.get(fields.authentication_resource_path ?? ""),
      };
    }),
    webhooks: readable.filter(({ kind, path }) => matchesWebhook?.(kind, path)),
  });
  const text = request.openapi_spec_format === "json" ? `${JSON.stringify(document, null, 2)}\n` : formatYaml(document);
  if (Buffer.byteLength(JSON.stringify(text)) > MOST_BYTES) throw new SvcError("openapi.tooLarge", {});
  return text;
}

/** Loads the scripts and flows that are not archived: those that routes run, or without `routes` all of the workspace. */
async function loadRunnables(
  { objects }: Uses<"objects">,
  workspace: string,
  routes: readonly StoredTrigger[] | undefined,
): Promise<FoundRunnable[]> {
  const load = (kind: RunnableKind): Promise<readonly (StoredObject | undefined)[]> => {
    const listing = listings[kind];
    if (!routes) return objects.list(listing.partitionKey(workspace));
    const paths = new Set(routes.filter(({ isFlow }) => isFlow === (kind === "flow")).map(({ scriptPath }) => scriptPath));
    return objects.batchGet([...paths].map((path) => listing.key(workspace, path)));
  };
  const toRunnables = (kind: RunnableKind, found: readonly (StoredObject | undefined)[]) =>
    listings[kind]
      .parseReadable(found.filter((one) => one !== undefined))
      .filter(({ archived }) => !archived)
      .map((listed) => ({
        kind,
        bodyKey: "version" in listed ? flowBodyObject.key(workspace, listed.version) : scriptBodyObject.key(workspace, listed.hash),
        path: listed.path,
        summary: listed.summary ?? undefined,
        description: listed.description ?? undefined,
        labels: listed.labels ?? undefined,
        hasPreprocessor: ("has_preprocessor" in listed && listed.has_preprocessor) || false,
      }));
  const [scripts, flows] = await Promise.all([load("script"), load("flow")]);
  return [...toRunnables("script", scripts), ...toRunnables("flow", flows)];
}

/**
 * Adds the schemas, by one batch read for 100 runnables: that of the author, or the one that was read from the source of a script without one. A version
 * that is so large that the bucket contains it is described without a schema.
 */
async function loadSchemas({ objects }: Uses<"objects">, runnables: readonly FoundRunnable[]): Promise<DocumentedRunnable[]> {
  const bodies = await objects.batchGet(runnables.map(({ bodyKey }) => bodyKey));
  return runnables.map(({ bodyKey, ...runnable }, index) => {
    const body = bodies[index];
    const { json } = body ? (flowBodyObject.holds(body) ? flowBodyObject : scriptBodyObject).parse(body) : {};
    const version = json === undefined ? undefined : versionSchema.safeParse(parseJson({ parent: bodyKey.pk, ref: bodyKey.sk, json })).data;
    return { ...runnable, schema: chooseSchema(version?.sent.schema, version?.inferredSchema) };
  });
}

/** Loads the headers of the API keys whose resources the caller may read, by the path of the resource. */
async function loadApiKeyHeaders(
  { objects }: Uses<"objects">,
  workspace: string,
  routes: readonly StoredTrigger[],
  mayRead: (path: string) => boolean,
): Promise<Map<string, string>> {
  const fields = routes.map(({ own }) => own as HttpFields).filter(({ authentication_method: method }) => method === "api_key");
  const paths = new Set(fields.flatMap(({ authentication_resource_path: path }) => (path && mayRead(path) ? [path] : [])));
  const found = await objects.batchGet([...paths].map((path) => resourceObject.key(workspace, path)));
  const resources = resourceObject.parseReadable(found.filter((one) => one !== undefined));
  return new Map(
    resources.flatMap((resource): [string, string][] => {
      const value = parseResourceValue(resource);
      const header = isJsonObject(value) ? value["header"] : undefined;
      return typeof header === "string" ? [[resource.path, header]] : [];
    }),
  );
}
