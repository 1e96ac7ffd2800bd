import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import { parseReference } from "../../contract/utilities/reference.ts";
import { type Credential, isCredentialType, parseCredential } from "../../core/http-routes/authentication/credential.ts";
import { type ObjectKey, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { parseResourceValue, resourceObject, type StoredResource } from "../../core/resources/resource.ts";
import { openSecret } from "../../core/secrets/open.ts";
import type { RouteCredential } from "../../core/secrets/route-credential.ts";
import { routeCredentialObject, routeKeyObject, routeVariableObject } from "../../core/secrets/route-credential.ts";
import { type DataKey, sealSecret } from "../../core/secrets/seal.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { commitParts, type TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { unsealValue } from "./unseal.ts";

/** Each change of a variable replaces the copies of all these resources in one transaction. */
const MOST_RESOURCES = 20;
const MOST_VARIABLES = 10;
/** An earlier value of the resource may refer to as many other variables. */
const MOST_READ = 2 * MOST_VARIABLES;
const KEY_VERSION = 1;
const locate = (workspace: string, path: string) => ({ workspace, path: `#route/${path}` });

/** A resource of a type by which routes authenticate requests. */
type CredentialResource = StoredResource & { resourceType: Credential["type"] };
const isCredential = (resource: StoredResource | undefined): resource is CredentialResource => isCredentialType(resource?.resourceType);

/** The texts of variables by path. A variable that does not exist has none. */
type Texts = ReadonlyMap<string, string | undefined>;

const fieldsOf = (resource: StoredResource): [string, unknown][] => {
  const value = parseResourceValue(resource);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
};
/** Returns the path of the variable to which a field refers. */
const variableOf = (field: unknown): string | undefined => {
  const reference = parseReference(field);
  return reference?.kind === "var" ? reference.path : undefined;
};
const findVariables = (resource: StoredResource): string[] => [
  ...new Set(fieldsOf(resource).flatMap(([, field]) => variableOf(field) ?? [])),
];

/**
 * Builds the parts that update the copy of a resource that is created (`after`), changed or moved, or deleted (`before`). There are none for
 * other types. A copy contains only variables that the caller may read: routes would otherwise use values that the caller must not know.
 * `keepsValue`: the caller has not sent the value, which may be that of another user. It then gets no copy that it did not have before.
 */
export async function buildResourceCopyParts(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "nowMs">,
  { actor, workspace }: Pick<WorkspaceCaller, "workspace"> & { actor?: Actor | undefined },
  { before, after, keepsValue }: { before?: StoredResource | undefined; after?: StoredResource | undefined; keepsValue?: boolean },
): Promise<TransactionPart[]> {
  const old = isCredential(before) ? before : undefined;
  const now = isCredential(after) ? after : undefined;
  if (!old && !now) return [];
  const variablePaths = now ? findVariables(now) : [];
  const places = [...new Set([old?.path, now?.path])].flatMap((path) => path ?? []);
  const links = [...new Set([...(old ? findVariables(old) : []), ...variablePaths])].slice(0, MOST_READ);
  const [foundLinks, foundCopies] = await Promise.all([
    readAll(
      deps.objects,
      links.map((path) => routeVariableObject.key(workspace, path)),
    ),
    readAll(
      deps.objects,
      places.map((path) => routeCredentialObject.key(workspace, path)),
    ),
  ]);
  const others = new Map(links.map((path, index) => [path, readLink(foundLinks[index]).filter((one) => !places.includes(one))]));
  // The resource is linked to its variables since a user who may read them has saved it.
  const wasChecked =
    old !== undefined && links.every((path, index) => !variablePaths.includes(path) || readLink(foundLinks[index]).includes(old.path));
  const fault = findFault(variablePaths, {
    isUnchecked: keepsValue === true && !wasChecked,
    mayRead: (path) => actor !== undefined && may(actor, actions.readVariable.access, { workspace, path }),
    isFull: (path) => (others.get(path)?.length ?? 0) >= MOST_RESOURCES,
  });
  const linked = fault === undefined ? variablePaths : [];
  const variables = await readAll(
    deps.objects,
    linked.map((path) => variableObject.key(workspace, path)),
  );
  const linkParts = links.map((path, index) => {
    const next = [...(others.get(path) ?? []), ...(now && linked.includes(path) ? [now.path] : [])].sort();
    const isSame = JSON.stringify(next) === JSON.stringify(readLink(foundLinks[index]));
    return isSame
      ? undefined
      : replace(routeVariableObject.key(workspace, path), foundLinks[index], next.length === 0 ? undefined : { resources: next });
  });
  // A variable that changes at the same time would otherwise leave its old text in the copy.
  const checks = linked.map((path, index) => ({
    write: write.check(variableObject.key(workspace, path), expectationOf(variables[index])),
    refused: undefined,
  }));
  const texts = new Map(
    await Promise.all(linked.map(async (path, index) => [path, await loadText(deps, workspace, variables[index])] as const)),
  );
  const copies = await Promise.all(
    places.map(async (path, index) => {
      const copy = now?.path === path ? await buildCopy(deps, workspace, now, fault ?? texts) : undefined;
      return replace(routeCredentialObject.key(workspace, path), foundCopies[index], copy);
    }),
  );
  return [...linkParts, ...checks, ...copies].flatMap((part) => part ?? []);
}

const readLink = (stored: StoredObject | undefined): string[] => (stored ? routeVariableObject.parse(stored).resources : []);

function findFault(
  variables: string[],
  { isUnchecked, mayRead, isFull }: { isUnchecked: boolean; mayRead: (path: string) => boolean; isFull: (path: string) => boolean },
): string | undefined {
  if (isUnchecked && variables.length > 0)
    return "Its variables were not checked for the user who changed it last. Save it with its value.";
  if (variables.length > MOST_VARIABLES) return `The resource refers to more than ${MOST_VARIABLES} variables.`;
  if (!variables.every(mayRead)) return "The user who saved the resource may not read a variable that it refers to.";
  return variables.some(isFull) ? `More than ${MOST_RESOURCES} such resources refer to one variable.` : undefined;
}

/**
 * Builds the parts that update the copies of the resources that refer to variables. `texts` has the new text of each changed variable, and
 * `undefined` for one that is deleted or moved away.
 */
export async function buildVariableCopyParts(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "nowMs">,
  workspace: string,
  texts: Texts,
): Promise<TransactionPart[]> {
  const paths = [...texts.keys()];
  const links = await readAll(
    deps.objects,
    paths.map((path) => routeVariableObject.key(workspace, path)),
  );
  // A resource that begins to refer to the variable at the same time would otherwise have a copy with the old text.
  const checks = paths.map((path, index) => ({
    write: write.check(routeVariableObject.key(workspace, path), expectationOf(links[index])),
    refused: undefined,
  }));
  const places = [...new Set(links.flatMap(readLink))];
  if (places.length === 0) return checks;
  // The copies are read first: one that belongs to a newer resource than the one that is read below is not replaced.
  const copies = await readAll(
    deps.objects,
    places.map((path) => routeCredentialObject.key(workspace, path)),
  );
  const stored = await readAll(
    deps.objects,
    places.map((path) => resourceObject.key(workspace, path)),
  );
  const resources = stored.flatMap((found) => (found ? [resourceObject.parse(found)] : [])).filter(isCredential);
  const loadedTexts = await loadTexts(
    deps,
    workspace,
    [...new Set(resources.flatMap(findVariables))].filter((path) => !texts.has(path)),
  );
  const all = new Map([...loadedTexts, ...texts]);
  const replaced = await Promise.all(
    resources.map(async (resource) => {
      const copy = await buildCopy(deps, workspace, resource, all);
      return replace(routeCredentialObject.key(workspace, resource.path), copies[places.indexOf(resource.path)], copy);
    }),
  );
  return [...checks, ...replaced.flatMap((part) => part ?? [])];
}

const readAll = async (objects: Pick<ObjectStore, "batchGet">, keys: ObjectKey[]) =>
  keys.length === 0 ? [] : objects.batchGet(keys, { consistent: true });

const expectationOf = (stored: StoredObject | undefined) => (stored ? unchangedSince(stored) : ("absent" as const));

function replace(key: { pk: string; sk: string }, stored: StoredObject | undefined, value: unknown): TransactionPart | undefined {
  if (value === undefined) return stored ? { write: write.remove(key, unchangedSince(stored)), refused: undefined } : undefined;
  return { write: write.put({ ...key, value, version: randomUUID() }, expectationOf(stored)), refused: undefined };
}

async function loadTexts(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  paths: string[],
): Promise<[string, string | undefined][]> {
  const stored = await readAll(
    deps.objects,
    paths.map((path) => variableObject.key(workspace, path)),
  );
  return Promise.all(
    paths.map(async (path, index): Promise<[string, string | undefined]> => [path, await loadText(deps, workspace, stored[index])]),
  );
}

async function loadText(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  stored: StoredObject | undefined,
): Promise<string | undefined> {
  if (!stored) return undefined;
  const { path, isSecret, value } = variableObject.parse(stored);
  return isSecret ? unsealValue(deps, workspace, path, value) : value;
}

/** `texts`: a sentence is the fault for which the resource cannot be used. */
async function buildCopy(
  deps: Uses<"objects" | "httpRouteKeys" | "nowMs">,
  workspace: string,
  resource: CredentialResource,
  texts: Texts | string,
): Promise<RouteCredential> {
  const { resourceType: type, path } = resource;
  if (typeof texts === "string") return { type, fault: texts };
  const fields = fieldsOf(resource);
  if (fields.some(([, field]) => parseReference(field)?.kind === "res"))
    return { type, fault: "The resource refers to another resource. It can refer to variables alone." };
  // An empty text counts as an omitted field, so an empty variable would turn off, for example, the check of a token's audience.
  const isMissing = (text: string | undefined) => text === undefined || (text === "" && type === "jwt_auth");
  const missing = fields.map(([, field]) => variableOf(field)).find((variable) => variable !== undefined && isMissing(texts.get(variable)));
  if (missing !== undefined) return { type, fault: "The resource refers to a variable that does not exist or is empty." };
  const value = Object.fromEntries(fields.map(([name, field]) => [name, texts.get(variableOf(field) ?? "") ?? field]));
  const credential = parseCredential(type, value);
  if (typeof credential === "string") return { type, fault: credential };
  const { key, wrapped } = await loadRouteKey(deps, workspace);
  return { type, wrapped, sealed: sealSecret(key, locate(workspace, path), JSON.stringify(credential)) };
}

const routeKeyCache = new PromiseCache<string, { key: DataKey; wrapped: string }>();

function loadRouteKey(deps: Uses<"objects" | "httpRouteKeys" | "nowMs">, workspace: string): Promise<{ key: DataKey; wrapped: string }> {
  return routeKeyCache.get(
    workspace,
    async () => {
      const wrapped = (await findRouteKey(deps, workspace)) ?? (await createRouteKey(deps, workspace));
      return { key: { version: KEY_VERSION, key: await deps.httpRouteKeys.unwrap(workspace, wrapped) }, wrapped };
    },
    { nowMs: deps.nowMs(), forMs: limits.dataKeyCacheMs },
  );
}

async function findRouteKey({ objects }: Uses<"objects">, workspace: string): Promise<string | undefined> {
  const stored = await objects.get(routeKeyObject.key(workspace));
  return stored && routeKeyObject.parse(stored).wrapped;
}

/** If two writers create the key at the same time, both get the one that was stored. Throws `workspace.notFound`. */
async function createRouteKey(deps: Uses<"objects" | "httpRouteKeys">, workspace: string): Promise<string> {
  const { wrapped } = await deps.httpRouteKeys.generate(workspace);
  await commitParts(deps.objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: write.put({ ...routeKeyObject.key(workspace), value: { wrapped } }, "absent"), refused: undefined },
  ]);
  return (await findRouteKey(deps, workspace)) ?? wrapped;
}

const openedKeys = new PromiseCache<string, Buffer>();

/** Opens the copy of a resource that was read with a request's route. Returns `undefined` if there is no usable copy. */
export async function openHttpRouteCredential(
  { httpRouteKeys, nowMs }: Uses<"httpRouteKeys" | "nowMs">,
  { workspace, path }: { workspace: string; path: string },
  stored: StoredObject | undefined,
): Promise<Credential | undefined> {
  const copy = stored && routeCredentialObject.parse(stored);
  if (!copy || !("sealed" in copy)) return undefined;
  const { wrapped, sealed } = copy;
  const key = await openedKeys.get(wrapped, () => httpRouteKeys.unwrap(workspace, wrapped), {
    nowMs: nowMs(),
    forMs: limits.dataKeyCacheMs,
  });
  const json = openSecret(key, locate(workspace, path), sealed);
  return parseJson({ parent: "route credentials", ref: path, json }) as Credential;
}

/** Returns the reason for which the copy of a resource cannot authenticate requests with a type of credential, or `undefined`. */
export function findCopyFault(stored: StoredObject | undefined, type: Credential["type"]): string | undefined {
  const copy = stored && routeCredentialObject.parse(stored);
  if (copy?.type !== type) return `The resource must have the type ${type}.`;
  return "fault" in copy ? copy.fault : undefined;
}
