import { authenticationMethodSchema, httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { type AddressMatch, chooseHttpRoute, listPrefixes, splitRequestPath } from "../../core/http-routes/address.ts";
import type { FoundHttpRoute, HttpRouteMatch, RequestMethod } from "../../core/http-routes/http-route.ts";
import { type HttpRouteEntry, httpRoutesAtObject, isEntryOf } from "../../core/http-routes/route-entries.ts";
import { personKey } from "../../core/people/person.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { routeCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { buildRightsKeys } from "../identity/identify.ts";
import { identifyRunAsActor } from "../identity/run-as.ts";
import type { Uses } from "../uses.ts";

/** A stored route always names its method of authentication. A route without one is not served. */
const storedFieldsSchema = httpFieldsSchema.extend({ authentication_method: authenticationMethodSchema });

/** A request below `/api/r/`. `path` is the address as sent, without that prefix. */
export interface HttpRouteSearch {
  method: RequestMethod;
  path: string;
}

/**
 * Finds the route of a request, with all data for its authentication and its job, in two reads: the entries whose address has the same beginning,
 * and the items that the chosen entry names.
 */
export async function findHttpRoute(deps: Uses<"objects">, search: HttpRouteSearch): Promise<HttpRouteMatch> {
  const parts = splitRequestPath(search.path);
  if (!parts) return { outcome: "unknown" };
  const first = await findOnce(deps, { method: search.method, parts }, false);
  // The entries were older than the trigger. A consistent read decides.
  return first ?? (await findOnce(deps, { method: search.method, parts }, true)) ?? { outcome: "unknown" };
}

/** Returns `undefined` if the entries do not match the trigger that they name. */
async function findOnce(
  { objects }: Uses<"objects">,
  { method, parts }: { method: RequestMethod; parts: readonly string[] },
  consistent: boolean,
): Promise<HttpRouteMatch | undefined> {
  const found = await objects.batchGet(
    listPrefixes(parts).map((prefix) => httpRoutesAtObject.key(prefix)),
    { consistent },
  );
  const candidates = found.flatMap((stored) => (stored ? httpRoutesAtObject.parse(stored).routes : []));
  const choice = chooseHttpRoute(candidates, method, parts);
  if ("allowed" in choice)
    return choice.allowed.length === 0 ? { outcome: "unknown" } : { outcome: "otherMethod", allowed: choice.allowed };
  const route = await loadRoute({ objects }, choice.chosen, choice);
  return route && { outcome: "found", route };
}

async function loadRoute(
  { objects }: Uses<"objects">,
  entry: HttpRouteEntry,
  { params, below }: AddressMatch,
): Promise<FoundHttpRoute | undefined> {
  const { workspace, path, scriptPath, isFlow, email, credential: resource } = entry;
  const [stored, head, credential, ...rights] = await objects.batchGet(
    [
      triggerObject.key(workspace, "http", path),
      // A route that serves files has none.
      isFlow ? flowHeadObject.key(workspace, scriptPath || "none") : scriptHeadObject.key(workspace, scriptPath || "none"),
      routeCredentialObject.key(workspace, resource ?? "none"),
      ...buildRightsKeys(personKey(email), workspace),
    ],
    { consistent: true },
  );
  if (!stored) return undefined;
  const trigger = triggerObject.parse(stored);
  if (!isEntryOf(entry, workspace, trigger)) return undefined;
  const parsed = storedFieldsSchema.safeParse(trigger.own);
  if (!parsed.success) return undefined;
  const fields = parsed.data;
  const actor = identifyRunAsActor(workspace, trigger, rights);
  return {
    workspace,
    trigger,
    stored,
    fields,
    params,
    below,
    actor,
    head,
    credential: resource === undefined ? undefined : credential,
  };
}
