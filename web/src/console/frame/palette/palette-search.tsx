import { Combobox, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { call } from "../../data/api.ts";
import { useNearestWorkspace } from "../../data/me.ts";
import { actionText, frameText } from "../../messages/frame.ts";
import { useGuides } from "../guides.ts";
import { usePages } from "../navigation.tsx";
import { joinItems } from "./join-items.ts";
import { useActions } from "./palette-actions.ts";

interface Entry {
  id: string;
  label: string;
  open: () => void;
}

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** More entries would not be read. A longer search text shows fewer. */
const MOST_SHOWN = 50;
/** The largest page of the list of all objects. */
const PER_PAGE = 2_000;
const MOST_PAGES = 5;
/** The service searches for two characters or more. */
const SHORTEST_SEARCH = 2;
const NO_ITEMS: Reply<"search.list"> = [];

/** Finds a page, an item, an action, a guide or a run by a part of its name. */
export default function PaletteSearch({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  // The list takes Escape from the dialog, so the end of the list closes the dialog.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const guides = useGuides(text.trim());
  const actions = useActions(text.trim());
  const entries = [...useEntries(text.trim()), ...actions, ...guides];
  const first = entries[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text shows other entries, and so do items that are loaded later
  useEffect(() => void combobox.selectFirstOption(), [text, first]);
  return (
    <Combobox
      store={combobox}
      withinPortal={false}
      onOptionSubmit={(id) => {
        onClose();
        entries.find((entry) => entry.id === id)?.open();
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <input
          className="palette-input"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          data-autofocus
          aria-label={frameText.paletteSearch}
          placeholder={frameText.paletteSearch}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className="palette-options" aria-label={frameText.palette} mt="xs">
        {entries.map(({ id, label }) => (
          <Combobox.Option key={id} value={id}>
            {label}
          </Combobox.Option>
        ))}
        {entries.length === 0 && <Combobox.Empty>{frameText.paletteEmpty}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

type Items = Reply<"search.list">;

const inPalette = { kinds: "script,flow" } as const;
/** A pause in the typing after which the service is asked. */
const TYPED_MS = 150;

/**
 * Returns the paths and summaries of up to 10,000 scripts and flows, as far as they are loaded. Until all of them are, it adds what the service
 * finds for a text.
 */
function useItems(workspace: string, text: string): Items {
  const pages = useInfiniteQuery({
    queryKey: [workspace, "palette"],
    queryFn: ({ pageParam, signal }) =>
      call.search.list({ workspace, query: { ...inPalette, page: pageParam, per_page: PER_PAGE }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last: Items, all) => (last.length < PER_PAGE || all.length >= MOST_PAGES ? undefined : all.length + 1),
    enabled: workspace !== "",
    staleTime: 30_000,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const [typed] = useDebouncedValue(text, TYPED_MS);
  const isPartial = data === undefined || hasNextPage;
  const found = useQuery({
    queryKey: [workspace, "palette", typed],
    queryFn: ({ signal }) => call.search.list({ workspace, query: { ...inPalette, q: typed, per_page: MOST_SHOWN }, signal }),
    enabled: workspace !== "" && isPartial && typed.length >= SHORTEST_SEARCH,
  });
  return useMemo(
    () => joinItems(data?.pages.flat() ?? NO_ITEMS, isPartial ? (found.data ?? NO_ITEMS) : NO_ITEMS),
    [data, isPartial, found.data],
  );
}

function useEntries(text: string): Entry[] {
  const workspace = useNearestWorkspace();
  const navigate = useNavigate();
  const pages = usePages(workspace);
  const needle = text.toLowerCase();
  const runs = needle.startsWith(actionText.run);
  const itemNeedle = runs ? needle.slice(actionText.run.length).trim() : needle;
  const items = useItems(workspace, itemNeedle);
  const named = pages.map(({ name, to }) => ({
    id: `page ${name}`,
    label: frameText.pages[name],
    open: () => void navigate({ to, params: { ws: workspace } }),
  }));
  const matching: Entry[] = [];
  for (const { kind, path, summary } of items) {
    if (matching.length >= MOST_SHOWN) break;
    if (!`${path} ${summary}`.toLowerCase().includes(itemNeedle)) continue;
    const to = `/w/${workspace}/${kind}s/${path}`;
    const label = runs ? actionText.runItem(path) : path;
    // The page of an item opens with its run form.
    matching.push({ id: `${kind} ${path}`, label: summary ? `${label} – ${summary}` : label, open: () => void navigate({ to }) });
  }
  const found = [...named.filter(({ label }) => label.toLowerCase().includes(needle)), ...matching].slice(0, MOST_SHOWN);
  if (!RUN_ID.test(needle)) return found;
  const run = { to: "/w/$ws/runs/$id", params: { ws: workspace, id: needle } } as const;
  return [{ id: `run ${needle}`, label: frameText.paletteRun(needle), open: () => void navigate(run) }, ...found];
}
