import { ROUTES_PREFIX } from "../../contract/route.ts";
import type { HttpFields, HttpMethod } from "../../contract/routes/triggers/http-fields.ts";
import type { RouteSegment } from "../../contract/routes/triggers/route-path.ts";

/** An address below `/api/r/` that answers one method. */
export interface HttpRouteAddress {
  method: HttpMethod;
  /** The parts in the notation of the route, such as `shop/orders/:id`. */
  address: string;
  /** The route serves a folder, so that it answers everything below its address as well. */
  isFolder: boolean;
}

type Addressed = Pick<HttpFields, "route_path" | "workspaced_route" | "http_method" | "is_static_website">;

/** Returns the address of a route. */
export const toHttpRouteAddress = (workspace: string, fields: Addressed): HttpRouteAddress => ({
  method: fields.http_method,
  address: `${fields.workspaced_route ? `${workspace}/` : ""}${fields.route_path.replace(/^\//, "")}`,
  isFolder: fields.is_static_website,
});

const kindOf = (part: string): RouteSegment["kind"] => (part.startsWith(":") ? "one" : part.startsWith("*") ? "rest" : "text");

/** Returns the text parts with which an address begins: the key of the item that contains it. */
export function findTextPrefix({ address }: Pick<HttpRouteAddress, "address">): string {
  const parts = address.split("/");
  const end = parts.findIndex((part) => kindOf(part) !== "text");
  return parts.slice(0, end < 0 ? parts.length : end).join("/");
}

/**
 * Returns the path to which the cookies of a route are sent: the texts with which the route begins, or the requested path if it begins with a
 * parameter, so that no cookie reaches the routes of others. `requestedPath` is the requested path below `/api/r/`.
 */
export function buildCookiePath(workspace: string, fields: Addressed, requestedPath: string): string {
  const hasText = kindOf(fields.route_path.replace(/^\//, "")) === "text";
  const path = hasText ? encodeURI(findTextPrefix(toHttpRouteAddress(workspace, fields)).toWellFormed()) : requestedPath.toWellFormed();
  return `${ROUTES_PREFIX}/${path.replace(/[^\w.~%/@:$!&'()*+=-]/gu, encodeURIComponent)}`;
}

/** Returns whether two addresses match the same requests. The names of their parameters do not count. */
export function isSameAddress(a: HttpRouteAddress, b: HttpRouteAddress): boolean {
  const shapes = listShapes(b);
  return a.method === b.method && listShapes(a).some((shape) => shapes.includes(shape));
}

function listShapes({ address, isFolder }: HttpRouteAddress): string[] {
  const parts = address.split("/").map((part) => ({ text: part, one: ":", rest: "*" })[kindOf(part)]);
  const shape = parts.join("/");
  return isFolder ? [shape, `${shape}/*`] : [shape];
}

/**
 * Returns the decoded parts of a requested path, or `undefined` if no route can match it because a part is empty or cannot be decoded. A
 * slash at the end is ignored.
 */
export function splitRequestPath(path: string): string[] | undefined {
  const parts = path.replace(/\/$/, "").split("/");
  try {
    return parts.some((part) => part === "") ? undefined : parts.map((part) => decodeURIComponent(part));
  } catch {
    // A part is not valid percent-encoding.
    return undefined;
  }
}

/** The maximum number of parts of a route's path, plus the workspace. */
const MOST_PARTS = 21;

/** Returns the beginnings of a requested path, each of which may be the text prefix of its route. */
export const listPrefixes = (parts: readonly string[]): string[] =>
  Array.from({ length: Math.min(parts.length, MOST_PARTS) + 1 }, (_, length) => parts.slice(0, length).join("/"));

/** The values of a route's parameters in a request, and for a folder the parts below it. */
export interface AddressMatch {
  params: Record<string, string>;
  below: string[];
}

/** Matches a request with an address. The parts of `*name` are joined by slashes. */
export function matchAddress({ address, isFolder }: HttpRouteAddress, parts: readonly string[]): AddressMatch | undefined {
  const names = address.split("/");
  const params: [string, string][] = [];
  for (const [index, name] of names.entries()) {
    const part = parts[index];
    if (part === undefined) return undefined;
    const kind = kindOf(name);
    if (kind === "rest") {
      params.push([name.slice(1), parts.slice(index).join("/")]);
      return { params: Object.fromEntries(params), below: [] };
    }
    if (kind === "text" && name !== part) return undefined;
    if (kind === "one") params.push([name.slice(1), part]);
  }
  if (parts.length > names.length && !isFolder) return undefined;
  return { params: Object.fromEntries(params), below: parts.slice(names.length) };
}

const RANK = { text: 0, one: 1, rest: 2 } as const;

/** Compares two addresses that match the same request: text goes before `:name`, and that before `*name` and folders, from the left. */
function compareAddresses(a: HttpRouteAddress, b: HttpRouteAddress): number {
  const [left, right] = [listRanks(a), listRanks(b)];
  for (const [index, rank] of left.entries()) {
    const other = right[index] ?? RANK.text;
    if (other !== rank) return rank - other;
  }
  return 0;
}

const listRanks = ({ address, isFolder }: HttpRouteAddress): number[] => [
  ...address.split("/").map((part) => RANK[kindOf(part)]),
  ...(isFolder ? [RANK.rest] : []),
];

/** Returns the route that answers a request, or the methods of the routes that have its address. */
export function chooseHttpRoute<T extends HttpRouteAddress>(
  candidates: readonly T[],
  method: string,
  parts: readonly string[],
): ({ chosen: T } & AddressMatch) | { allowed: HttpMethod[] } {
  const matching = candidates.flatMap((chosen) => {
    const match = matchAddress(chosen, parts);
    return match ? [{ chosen, ...match }] : [];
  });
  const [best] = matching.filter(({ chosen }) => chosen.method === method).sort((a, b) => compareAddresses(a.chosen, b.chosen));
  return best ?? { allowed: [...new Set(matching.map(({ chosen }) => chosen.method))].sort() };
}
