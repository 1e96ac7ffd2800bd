import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMember, useWorkspace } from "../../data/me.ts";
import { notifications } from "../../frame/notifications.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import { useStoredSearch } from "./use-stored-search.ts";

const PER_PAGE = 100;

interface ListRequest {
  workspace: string;
  page: { page: number; per_page: number };
  /** The text that the user searches for. */
  sought: string | undefined;
  /** The type that the user has chosen. */
  type: string | undefined;
  signal: AbortSignal;
}

interface StoredListOptions<T> {
  /** Names the list in the cache of the workspace. */
  name: string;
  /** Requests a part of the list. */
  load: (request: ListRequest) => Promise<T[]>;
  /** The service returns the list as a whole. */
  isWhole?: boolean;
  /** The texts of an object in which this page searches. Absent: the service searches. */
  textsOf?: (item: T) => readonly (string | null | undefined)[];
  /** The names of further queries that change with the list. */
  related?: readonly string[];
}

/** The list of a page of stored objects: its search, its loaded part, and what follows a save or a deletion. */
export function useStoredList<T>({ name, load, isWhole = false, textsOf, related = [] }: StoredListOptions<T>) {
  const workspace = useWorkspace();
  const member = useMember();
  const queries = useQueryClient();
  const search = useStoredSearch();
  const [deleted, setDeleted] = useState<string>();
  const { sought, type } = search;
  const filters = textsOf ? [] : [sought, type];
  const query = useInfiniteQuery({
    queryKey: [workspace, name, ...filters],
    queryFn: ({ pageParam, signal }) =>
      load({ workspace, page: { page: pageParam, per_page: PER_PAGE }, sought: sought || undefined, type, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (!isWhole && last.length === PER_PAGE ? all.length + 1 : undefined),
  });
  const needle = sought.toLowerCase();
  const refresh = async () => {
    await Promise.all([name, ...related].map((each) => queries.invalidateQueries({ queryKey: [workspace, each] })));
  };
  return {
    workspace,
    member,
    search,
    query,
    /** The loaded objects. */
    items: query.data?.pages.flat() ?? [],
    isShown: (item: T) => textsOf === undefined || textsOf(item).some((each) => each?.toLowerCase().includes(needle)),
    refresh,
    /** Reports a save and closes its form, or opens the form of the saved object. */
    onSaved: (saved: string, isEditedNext = false) => {
      notifications.show({ message: storedText.saved(saved) });
      if (isEditedNext) search.openEdit(saved);
      else search.closeEditor();
      void refresh();
    },
    /** The object whose deletion waits for a confirmation. */
    deleted,
    askToDelete: (path: string) => setDeleted(path),
    closeDeletion: () => setDeleted(undefined),
  };
}

export type StoredList<T> = ReturnType<typeof useStoredList<T>>;
