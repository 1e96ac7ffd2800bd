import type { Route, RouteFunction } from "../../contract/route.ts";

type PlacedRoute = Pick<Route, "path" | "fn">;

/**
 * The prefixes below which everything belongs to one function: for each route the shortest beginning of its path that no route of another function
 * shares. `api` answers the rest, unknown addresses included, so it has none.
 */
export function prefixesOf(routes: readonly PlacedRoute[], fn: RouteFunction): string[] {
  // Every route below `jobs_u` answers below `job_u` as well, without being listed there.
  const foreign = routes
    .filter((route) => route.fn !== fn)
    .flatMap(({ path }) => [path, path.replace("/jobs_u/", "/job_u/")])
    .map(segmentsOf);
  const prefixes = routes
    .filter((route) => route.fn === fn)
    .map(({ path }) => {
      const own = segmentsOf(path);
      const length = own.findIndex((_, index) => !foreign.some((other) => beginsWith(other, own.slice(0, index + 1)))) + 1;
      if (length === 0)
        throw new Error(`${path} of function ${fn} is a prefix of another function's route, so API Gateway cannot distinguish them.`);
      return `/${own.slice(0, length).join("/")}`;
    });
  return [...new Set(prefixes)].sort();
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function beginsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((segment, index) => path[index] === segment);
}
