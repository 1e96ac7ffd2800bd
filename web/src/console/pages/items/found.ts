import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../data/api.ts";
import { itemsKey } from "./items.ts";

/** A shorter phrase is in too many sources. */
const SOUGHT_CHARS = 3;
const MOST_FOUND = 100;

/** Asks the service for the items whose description or source contains a text. Each has the place that matches. */
export function useFound(workspace: string, text: string) {
  return useQuery({
    queryKey: [...itemsKey(workspace), "found", text],
    queryFn: async ({ signal }) => {
      const query = { q: text, kinds: "script,flow", per_page: MOST_FOUND };
      const found = await call.search.list({ workspace, query, signal });
      const inside = found.map(({ kind, path, matches }) => ({
        kind,
        path,
        match: matches.find(({ field }) => field === "source" || field === "description"),
      }));
      return new Map<string, string>(inside.flatMap(({ kind, path, match }) => (match ? [[`${kind} ${path}`, match.text] as const] : [])));
    },
    enabled: text.length >= SOUGHT_CHARS,
    placeholderData: keepPreviousData,
  });
}
