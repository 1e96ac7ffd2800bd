import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { parseReference } from "../../contract/utilities/reference.ts";
import { type ObjectKey, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { may } from "../../core/permissions/may.ts";
import { parseResourceValue, resourceObject, type StoredResource } from "../../core/resources/resource.ts";
import { copyVariableObject } from "../../core/secrets/sealed-copy.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { copyPurposes, findCopyPurpose } from "./copy-purposes.ts";
import { type CopiedResource, type CopyCaller, type CopyPorts, isAdminOf, sealCopy } from "./seal-copy.ts";
import { unsealValue } from "./unseal.ts";

/** Each change of a variable replaces the copies of all these resources in one transaction. */
const MOST_RESOURCES = 20;
const MOST_VARIABLES = 10;
/** An earlier value of the resource may refer to as many other variables. */
const MOST_READ = 2 * MOST_VARIABLES;

function toCopied(resource: StoredResource | undefined): CopiedResource | undefined {
  const purpose = resource && findCopyPurpose(resource.resourceType);
  return purpose && { resource, purpose };
}
const keyOfCopy = (workspace: string, { resource, purpose }: CopiedResource): ObjectKey => purpose.copies.key(workspace, resource.path);
const isSameKey = (a: ObjectKey, b: ObjectKey) => a.pk === b.pk && a.sk === b.sk;

function isTrusted({ purpose }: CopiedResource, stored: StoredObject): boolean {
  const copy = purpose.copies.parse(stored);
  return "sealed" in copy && copy.trusted === true;
}

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
 * other types. A copy contains only variables that the caller may read: the service would otherwise use values that the caller must not know.
 * `keepsValue`: the caller has not sent the value, which may be that of another user. It then gets no copy that it did not have before.
 */
export async function buildResourceCopyParts(
  deps: CopyPorts,
  caller: CopyCaller,
  { before, after, keepsValue }: { before?: StoredResource | undefined; after?: StoredResource | undefined; keepsValue?: boolean },
): Promise<TransactionPart[]> {
  const { actor, workspace } = caller;
  const old = toCopied(before);
  const now = toCopied(after);
  if (!old && !now) return [];
  const variablePaths = now ? findVariables(now.resource) : [];
  const paths = [...new Set([old?.resource.path, now?.resource.path])];
  // A resource whose type changes may be copied for another purpose from then on.
  const keys = [old, now].flatMap((copied) => (copied ? [keyOfCopy(workspace, copied)] : []));
  const copyKeys = keys.filter((key, index) => keys.findIndex((other) => isSameKey(other, key)) === index);
  const links = [...new Set([...(old ? findVariables(old.resource) : []), ...variablePaths])].slice(0, MOST_READ);
  const [foundLinks, foundCopies] = await Promise.all([
    readAll(
      deps.objects,
      links.map((path) => copyVariableObject.key(workspace, path)),
    ),
    readAll(deps.objects, copyKeys),
  ]);
  const others = new Map(links.map((path, index) => [path, readLink(foundLinks[index]).filter((one) => !paths.includes(one))]));
  // The resource is linked to its variables since a user who may read them has saved it.
  const wasChecked =
    old !== undefined &&
    links.every((path, index) => !variablePaths.includes(path) || readLink(foundLinks[index]).includes(old.resource.path));
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
    const next = [...(others.get(path) ?? []), ...(now && linked.includes(path) ? [now.resource.path] : [])].sort();
    const isSame = JSON.stringify(next) === JSON.stringify(readLink(foundLinks[index]));
    return isSame
      ? undefined
      : replace(copyVariableObject.key(workspace, path), foundLinks[index], next.length === 0 ? undefined : { resources: next });
  });
  // A variable that changes at the same time would otherwise leave its old text in the copy.
  const checks = linked.map((path, index) => ({
    write: write.check(variableObject.key(workspace, path), expectationOf(variables[index])),
    refused: undefined,
  }));
  const texts = new Map(
    await Promise.all(linked.map(async (path, index) => [path, await loadText(deps, workspace, variables[index])] as const)),
  );
  const wasTrusted = keepsValue !== true || foundCopies.some((copy) => copy && old && isTrusted(old, copy));
  const areAdmins = isAdminOf(caller) && wasTrusted;
  const copies = await Promise.all(
    copyKeys.map(async (key, index) => {
      const isKept = now && isSameKey(keyOfCopy(workspace, now), key);
      return replace(
        key,
        foundCopies[index],
        isKept ? await sealCopy(deps, workspace, now, fault ?? toValue(now, texts), { areAdmins }) : undefined,
      );
    }),
  );
  return [...linkParts, ...checks, ...copies].flatMap((part) => part ?? []);
}

const readLink = (stored: StoredObject | undefined): string[] => (stored ? copyVariableObject.parse(stored).resources : []);

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
export async function buildVariableCopyParts(deps: CopyPorts, caller: CopyCaller, texts: Texts): Promise<TransactionPart[]> {
  const { workspace } = caller;
  const paths = [...texts.keys()];
  const links = await readAll(
    deps.objects,
    paths.map((path) => copyVariableObject.key(workspace, path)),
  );
  // A resource that begins to refer to the variable at the same time would otherwise have a copy with the old text.
  const checks = paths.map((path, index) => ({
    write: write.check(copyVariableObject.key(workspace, path), expectationOf(links[index])),
    refused: undefined,
  }));
  const places = [...new Set(links.flatMap(readLink))];
  if (places.length === 0) return checks;
  // The copies are read first: one that belongs to a newer resource than the one that is read below is not replaced.
  const copyKeys = places.flatMap((path) => Object.values(copyPurposes).map(({ copies }) => copies.key(workspace, path)));
  const copies = await readAll(deps.objects, copyKeys);
  const stored = await readAll(
    deps.objects,
    places.map((path) => resourceObject.key(workspace, path)),
  );
  const copied = stored.flatMap((found) => (found && toCopied(resourceObject.parse(found))) ?? []);
  const loadedTexts = await loadTexts(
    deps,
    workspace,
    [...new Set(copied.flatMap(({ resource }) => findVariables(resource)))].filter((path) => !texts.has(path)),
  );
  const all = new Map([...loadedTexts, ...texts]);
  const replaced = await Promise.all(
    copied.map(async (one) => {
      const key = keyOfCopy(workspace, one);
      const before = copies[copyKeys.findIndex((candidate) => isSameKey(candidate, key))];
      // A resource that another user saved does not become trusted by its variable.
      const areAdmins = isAdminOf(caller) && before !== undefined && isTrusted(one, before);
      return replace(key, before, await sealCopy(deps, workspace, one, toValue(one, all), { areAdmins }));
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

/** Returns the value of a resource with the texts of its variables, or a sentence about the fault for which it cannot be used. */
function toValue({ resource, purpose }: CopiedResource, texts: Texts): object | string {
  const fields = fieldsOf(resource);
  if (fields.some(([, field]) => parseReference(field)?.kind === "res"))
    return "The resource refers to another resource. It can refer to variables alone.";
  const mayBeEmpty = !purpose.refusesEmpty(resource.resourceType);
  const isMissing = (text: string | undefined) => text === undefined || (text === "" && !mayBeEmpty);
  const missing = fields.map(([, field]) => variableOf(field)).find((variable) => variable !== undefined && isMissing(texts.get(variable)));
  if (missing !== undefined) return "The resource refers to a variable that does not exist or is empty.";
  return Object.fromEntries(fields.map(([name, field]) => [name, texts.get(variableOf(field) ?? "") ?? field]));
}
