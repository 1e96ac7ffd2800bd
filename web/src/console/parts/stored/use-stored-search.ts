import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Search } from "../../data/address.ts";

const TYPED_MS = 300;

/** The part of an address that a page of stored objects uses: the text of its search, and the object that is edited. */
export function useStoredSearch() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const text = search["search"] ?? "";
  const [sought] = useDebouncedValue(text.trim(), TYPED_MS);
  return {
    text,
    /** The text of the search once the user pauses. */
    sought,
    type: search["type"],
    edited: search["edit"],
    isNew: search["new"] === "true",
    change,
    openNew: () => change({ new: "true", edit: undefined }),
    openEdit: (path: string) => change({ edit: path, new: undefined }),
    closeEditor: () => change({ edit: undefined, new: undefined }),
  };
}

export type StoredSearch = ReturnType<typeof useStoredSearch>;
