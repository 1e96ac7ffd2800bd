import { limits } from "../../../contract/limits.ts";
import type { Api, CallOptions } from "./api.ts";
import { expectStatus } from "./workspace.ts";

/** Returns all items of a list that other tests add to, so that their number does not matter. `route` follows `/api/`. */
export async function listPages(client: Pick<Api, "get">, route: string, query: CallOptions["query"] = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const items = expectStatus(await client.get(route, { ...query, page, per_page: limits.maxPerPage }), 200).json as unknown[];
    found.push(...items);
    if (items.length < limits.maxPerPage) return found;
  }
}
