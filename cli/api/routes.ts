import { findKind } from "../../contract/kinds/kinds.ts";
import { type ApiClient, ApiError } from "./client.ts";

/** Slashes are not encoded, so that paths remain readable in addresses. */
export const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Returns the beginning of the routes of a kind of items. */
export function routesOf(kind: string): string {
  const { routes, domain } = findKind(kind) ?? {};
  const found = routes ?? domain;
  if (found === undefined) throw new Error(`There is no kind ${kind}.`);
  return found;
}

interface Save {
  kind: string;
  path: string;
  create: object;
  update: object;
  exists: boolean;
  query?: Record<string, boolean>;
}

/** Creates or updates an object, even if another client has created or deleted it in the meantime. Idempotent. */
export async function createOrUpdate(client: ApiClient, { kind, path, create, update, exists, query = {} }: Save): Promise<void> {
  const routes = routesOf(kind);
  const calls = {
    create: () => client.post(`${routes}/create`, create, { query }),
    update: () => client.post(`${routes}/update/${encodePath(path)}`, update, { query }),
  };
  try {
    await (exists ? calls.update() : calls.create());
  } catch (error) {
    if (!(exists ? isGone(error) : isTaken(error))) throw error;
    await (exists ? calls.create() : calls.update());
  }
}

/** Calls a route of an object. A missing object is not an error. */
export async function unlessGone(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A missing workspace is not a missing object. */
const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404 && error.code !== "workspace.notFound";

const isTaken = (error: unknown): boolean => error instanceof ApiError && /\.(exists|pathTaken)$/.test(error.code);
