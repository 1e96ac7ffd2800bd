import type { ApiClient } from "./client.ts";

/** The maximum number of rows of one request. */
const PER_PAGE = 100;

type Query = Record<string, string | number | boolean | undefined>;

/** Reads every page of a list with numbered pages. */
export async function readPages<T>(client: ApiClient, path: string, query: Query = {}): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await client.get<T[]>(path, { query: { ...query, page, per_page: PER_PAGE } });
    found.push(...rows);
    if (rows.length < PER_PAGE) return found;
  }
}

/** The position at which the next page of a list begins: a header of the reply, and the parameter of the next request. */
interface Continuation {
  header: string;
  parameter: string;
}

/** Reads the first rows of a list, at most `limit`. */
export async function readFirst<T>(
  client: ApiClient,
  path: string,
  query: Query,
  { limit, next: { header, parameter } }: { limit: number; next: Continuation },
): Promise<T[]> {
  const found: T[] = [];
  let from = query[parameter];
  do {
    const response = await client.fetch("GET", path, { query: { ...query, [parameter]: from, per_page: Math.min(PER_PAGE, limit) } });
    found.push(...((await response.json()) as T[]));
    from = response.headers.get(header) ?? undefined;
  } while (from !== undefined && found.length < limit);
  return found.slice(0, limit);
}
