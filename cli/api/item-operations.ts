import type { CallOptions, OperationName } from "../../contract/client/operation.ts";
import { operations } from "../../contract/client/operations/all.ts";
import { findKind } from "../../contract/kinds/kinds.ts";
import { CommandError } from "../errors.ts";
import { type ApiClient, ApiError } from "./client.ts";

/** The beginnings of the names of operations, behind which all of these words are operations. */
type NounWith<Verb extends string> = {
  [N in OperationName]: N extends `${infer Noun}.list` ? (`${Noun}.${Verb}` extends OperationName ? Noun : never) : never;
}[OperationName];
/** The beginning of the names of the operations of a kind of items. */
export type Noun = NounWith<"create" | "update" | "get" | "delete"> | "scripts";

/** Returns the beginning of the names of the operations of a kind. Throws `CommandError` for a kind that the service does not store. */
export function nounOf(kind: string): Noun {
  const { routeNames, domain, isMissing } = findKind(kind) ?? {};
  const noun = routeNames ?? domain;
  if (noun === undefined || isMissing || !(`${noun}.update` in operations))
    throw new CommandError(`The service stores no ${kind.replaceAll("_", " ")}s.`);
  return noun as Noun;
}

/** Returns the name of the operation that returns an item by its path. Scripts are also found by their version. */
export const readOf = (noun: Noun) => (noun === "scripts" ? "scripts.getByPath" : (`${noun}.get` as const));

/** Returns the path of an item as operations name it: some name it `name`. */
export const at = (path: string) => ({ path, name: path });

interface Save {
  kind: string;
  path: string;
  create: object;
  update: object;
  exists: boolean;
  query?: Record<string, boolean>;
  /** The version that an update replaces. Absent: any. */
  version?: string | undefined;
  /** Creates only: an object that another client has created in the meantime is an error. */
  createOnly?: boolean | undefined;
}

/** Returns the option of a call that changes only this version of an object. `undefined`: any version. */
export const ifMatch = (version: string | undefined): Pick<CallOptions, "headers"> =>
  version === undefined ? {} : { headers: { "if-match": `"${version}"` } };

/**
 * Creates or updates an object, even if another client has created or deleted it in the meantime. Idempotent, unless a version or `createOnly` is
 * given.
 */
export async function createOrUpdate(
  client: ApiClient,
  { kind, path, create, update, exists, query = {}, version, createOnly = false }: Save,
): Promise<void> {
  const noun = nounOf(kind);
  const calls = {
    create: () => client.callAny(`${noun}.create`, { body: create, query }),
    update: () => client.callAny(`${noun}.update`, { ...at(path), body: update, query, ...ifMatch(version) }),
  };
  try {
    await (exists ? calls.update() : calls.create());
  } catch (error) {
    if (!(exists ? isGone(error) : isTaken(error) && !createOnly)) throw error;
    await (exists ? calls.create() : calls.update());
  }
}

/** Calls an operation of an object. A missing object is not an error. */
export async function unlessGone(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A missing workspace is not a missing object. */
const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404 && error.code !== "workspace.notFound";

export const isTaken = (error: unknown): boolean => error instanceof ApiError && /\.(exists|pathTaken)$/.test(error.code);
