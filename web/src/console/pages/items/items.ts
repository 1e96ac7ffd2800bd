import { useQuery } from "@tanstack/react-query";
import { call } from "../../data/api.ts";
import { readPages } from "../../parts/read-pages.ts";
import type { Kind } from "../runnable/use-runnable.ts";

/** A script or a flow of the list. */
export interface Item {
  kind: Kind;
  path: string;
  summary: string;
  language: string;
  hash: string;
  editedAt: string;
}

export interface ItemFilter {
  folder: string;
  kind: string;
  search: string;
}

async function loadItems(workspace: string, isArchived: boolean, signal: AbortSignal): Promise<Item[]> {
  const options = { show_archived: isArchived || undefined, without_description: true };
  const [scripts, flows] = await Promise.all([
    readPages((query) => call.scripts.list({ workspace, query: { ...query, ...options }, signal })),
    readPages((query) => call.flows.list({ workspace, query: { ...query, ...options }, signal })),
  ]);
  const items: Item[] = [
    ...scripts.map(({ path, summary, language, hash, created_at }) => ({
      kind: "script" as const,
      path,
      summary,
      language,
      hash,
      editedAt: created_at,
    })),
    ...flows.map(({ path, summary, hash, edited_at }) => ({
      kind: "flow" as const,
      path,
      summary,
      language: "",
      hash,
      editedAt: edited_at,
    })),
  ];
  return items.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const itemsKey = (workspace: string) => [workspace, "items"] as const;

/** Loads the scripts and flows of a workspace, in the order of their paths. */
export function useItems(workspace: string, isArchived: boolean) {
  return useQuery({
    queryKey: [...itemsKey(workspace), isArchived],
    queryFn: ({ signal }) => loadItems(workspace, isArchived, signal),
  });
}

export const keyOf = ({ kind, path }: Pick<Item, "kind" | "path">): string => `${kind} ${path}`;

const NONE: ReadonlyMap<string, string> = new Map();

/** Returns the items of a kind and a folder whose path or summary contains each word, and those that the service has found. */
export function matching(items: readonly Item[], { folder, kind, search }: ItemFilter, found: ReadonlyMap<string, string> = NONE): Item[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    if (kind !== "" && item.kind !== kind) return false;
    if (folder !== "" && !item.path.startsWith(`${folder}/`)) return false;
    const text = `${item.path} ${item.summary}`.toLowerCase();
    return words.every((word) => text.includes(word)) || found.has(keyOf(item));
  });
}
