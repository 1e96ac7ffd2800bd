import type { Route, RouteFunction } from "../../contract/route.ts";

type PlacedRoute = Pick<Route, "path" | "fn">;

/**
 * The functions that may share the beginnings of their addresses with others, the most general first. A more specific function claims
 * addresses below those of a more general one; all functions that are not in this list are the most specific.
 */
const GENERAL: readonly RouteFunction[] = ["people", "api", "objects", "jobs"];

const speciality = (fn: RouteFunction) => (GENERAL.includes(fn) ? GENERAL.indexOf(fn) : GENERAL.length);

/** The function that answers what no function claims: the pages have most of the addresses outside `/api`. */
export const CATCH_ALL: RouteFunction = "web";

/** Every route below `jobs_u` answers below `job_u` as well, without being listed there. */
const spellings = (path: string) => [...new Set([path, path.replace("/jobs_u/", "/job_u/")])];

/**
 * Returns the prefixes below which everything belongs to one function, unless a more specific function claims a part of it. They are the
 * shortest beginnings of the function's paths that no route of an equally specific or more general function shares. Throws an error if a
 * path is a prefix of another function's route.
 */
export function prefixesOf(routes: readonly PlacedRoute[], fn: RouteFunction): string[] {
  const functionSpeciality = speciality(fn);
  const foreign = routes
    .filter((route) => route.fn !== fn && (functionSpeciality === GENERAL.length || speciality(route.fn) < functionSpeciality))
    .flatMap(({ path }) => spellings(path))
    .map(segmentsOf);
  const prefixes = routes
    // The origin itself is not a prefix: it would claim every address.
    .filter((route) => route.fn === fn && route.path !== "/")
    .flatMap(({ path }) => (functionSpeciality === GENERAL.length ? [path] : spellings(path)))
    .map((path) => {
      const segments = segmentsOf(path);
      const length = segments.findIndex((_, index) => !foreign.some((other) => beginsWith(other, segments.slice(0, index + 1)))) + 1;
      if (length === 0)
        throw new Error(`${path} of function ${fn} is a prefix of another function's route, so API Gateway cannot distinguish them.`);
      return `/${segments.slice(0, length).join("/")}`;
    });
  return [...new Set(prefixes)].sort();
}

/**
 * Returns the function of every prefix. A prefix whose function already answers below a shorter prefix is left out, because it would cost
 * resources.
 */
export function claimsOf(routes: readonly PlacedRoute[]): Map<string, RouteFunction> {
  const functions = [...new Set(routes.map(({ fn }) => fn))];
  const claims = new Map(functions.flatMap((fn) => prefixesOf(routes, fn).map((prefix) => [prefix, fn] as const)));
  for (const [prefix, fn] of claims) if (ownerOf(claims, segmentsOf(prefix).slice(0, -1)) === fn) claims.delete(prefix);
  return claims;
}

/** Returns the function that answers an address which is only a part of claimed addresses: the one with the longest claim above it, otherwise `CATCH_ALL`. */
export function ownerOf(claims: ReadonlyMap<string, RouteFunction>, segments: readonly string[]): RouteFunction {
  for (let length = segments.length; length > 0; length--) {
    const owner = claims.get(`/${segments.slice(0, length).join("/")}`);
    if (owner) return owner;
  }
  return CATCH_ALL;
}

/** Returns the function whose route has this address. */
export function functionAt(routes: readonly PlacedRoute[], address: string): RouteFunction | undefined {
  return routes.find(({ path }) => path === address)?.fn;
}

/** Returns whether an address is that of a route, and no route is below it. Every route is below the origin itself. */
export function isSingleAddress(routes: readonly PlacedRoute[], address: string): boolean {
  if (address === "/") return false;
  return functionAt(routes, address) !== undefined && !routes.some(({ path }) => path.startsWith(`${address}/`));
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function beginsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((segment, index) => path[index] === segment);
}
