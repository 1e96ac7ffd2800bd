import "./items.css";
import { Button, Group, NativeSelect, Switch, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Page } from "../../frame/page.tsx";
import { Empty, Failed, Panel } from "../../frame/panel.tsx";
import { homeText } from "../../messages/home.ts";
import { itemsText } from "../../messages/items.ts";
import { runnableText } from "../../messages/runnable.ts";
import { Hint } from "../../parts/hint.tsx";
import { restore } from "../runnable/archive.ts";
import { type Folder, listFolders } from "./folders.ts";
import { useFound } from "./found.ts";
import { type Item, itemsKey, keyOf, matching, useItems } from "./items.ts";
import { VirtualList } from "./virtual-list.tsx";

const TYPED_MS = 300;
const ROW_PX = 48;
const FOLDER_PX = 30;
const addressOf = { script: "/w/$ws/scripts/$", flow: "/w/$ws/flows/$" } as const;

/** Lists the scripts and flows of a workspace by folder. */
export default function ItemsPage() {
  const workspace = useWorkspace();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const isArchived = search["archived"] === "true";
  const items = useItems(workspace, isArchived);
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  return (
    <Page title={itemsText.title} actions={<NewItems workspace={workspace} />}>
      <Hint name="items" guide="console#scripts-and-flows" />
      <Group role="search" aria-label={itemsText.filters} gap="xs" align="flex-end" mb="sm">
        <TextInput
          size="xs"
          className="items-search"
          label={itemsText.search}
          placeholder={itemsText.searchHelp}
          value={search["search"] ?? ""}
          onChange={({ target }) => change({ search: target.value })}
        />
        <NativeSelect
          size="xs"
          label={itemsText.kind}
          value={search["kind"] ?? ""}
          data={[{ value: "", label: itemsText.any }, ...Object.entries(itemsText.kinds).map(([value, label]) => ({ value, label }))]}
          onChange={({ target }) => change({ kind: target.value })}
        />
        <Switch
          label={itemsText.archived}
          checked={isArchived}
          onChange={({ target }) => change({ archived: target.checked ? "true" : undefined, folder: undefined })}
        />
        <Group gap="md" className="items-links">
          <Link to="/w/$ws/changes" params={{ ws: workspace }}>
            {itemsText.changes}
          </Link>
          <Link to="/w/$ws/apps" params={{ ws: workspace }}>
            {itemsText.apps}
          </Link>
        </Group>
      </Group>
      <Panel
        query={items}
        guide="console#scripts-and-flows"
        isEmpty={(found) => found.length === 0}
        empty={<NoItems isArchived={isArchived} />}
      >
        {(found) => <Browse workspace={workspace} items={found} isArchived={isArchived} search={search} />}
      </Panel>
    </Page>
  );
}

/** The links to the editors, for those who may save. */
function NewItems({ workspace }: { workspace: string }) {
  const member = useMember();
  if (!isOffered("flows.create", member)) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" renderRoot={(props) => <Link to="/w/$ws/scripts/new" params={{ ws: workspace }} {...props} />}>
        {itemsText.newScript}
      </Button>
      <Button size="xs" variant="default" renderRoot={(props) => <Link to="/w/$ws/flows/new" params={{ ws: workspace }} {...props} />}>
        {itemsText.newFlow}
      </Button>
    </Group>
  );
}

interface BrowseProps {
  workspace: string;
  items: readonly Item[];
  isArchived: boolean;
  search: Search;
}

function Browse({ workspace, items, isArchived, search }: BrowseProps) {
  const { folder = "", kind = "", search: typed = "" } = search;
  const text = useDeferredValue(typed.trim());
  const [sought] = useDebouncedValue(text, TYPED_MS);
  const found = useFound(workspace, isArchived ? "" : sought).data;
  const queries = useQueryClient();
  const member = useMember();
  const inside = text === sought ? found : undefined;
  const inKind = useMemo(() => matching(items, { folder: "", kind, search: text }, inside), [items, kind, text, inside]);
  const folders = useMemo(
    () =>
      listFolders(
        inKind.map(({ path }) => path),
        folder,
      ),
    [inKind, folder],
  );
  const shown = useMemo(() => matching(inKind, { folder, kind: "", search: "" }), [inKind, folder]);
  const bringBack = useMutation({
    mutationFn: (item: Item) => restore(workspace, item),
    onSuccess: async (_, { path }) => {
      notifications.show({ message: runnableText.restoredNow(path) });
      await queries.invalidateQueries({ queryKey: itemsKey(workspace) });
    },
  });
  const mayRestore = isArchived && isOffered("flows.archive", member);
  return (
    <div className="items">
      <VirtualList
        label={itemsText.folders}
        className="items-folders"
        entries={[{ path: "", name: itemsText.all, depth: 0, count: inKind.length }, ...folders]}
        rowPx={FOLDER_PX}
        keyOf={({ path }) => path}
      >
        {(entry) => <FolderRow entry={entry} search={search} isOpen={entry.path === folder} />}
      </VirtualList>
      <div>
        {bringBack.error && <Failed error={bringBack.error} />}
        <Text size="sm" c="dimmed" role="status">
          {itemsText.count(shown.length)}
        </Text>
        {shown.length === 0 ? (
          <Empty title={itemsText.noMatch} guide="console#scripts-and-flows">
            <Text>{itemsText.noMatchWhy}</Text>
          </Empty>
        ) : (
          <VirtualList label={itemsText.list} className="items-list" entries={shown} rowPx={ROW_PX} keyOf={keyOf}>
            {(item) => (
              <div className="item">
                <div className="item-name">
                  <Link to={addressOf[item.kind]} params={{ ws: workspace, _splat: item.path }} preload={false}>
                    {item.path}
                  </Link>
                  <Text size="sm" c="dimmed" truncate>
                    {item.summary}
                  </Text>
                  {inside?.has(keyOf(item)) && (
                    <Text size="xs" className="item-match">
                      {inside.get(keyOf(item))}
                    </Text>
                  )}
                </div>
                <Text size="sm" className="item-language">
                  {item.kind === "flow" ? itemsText.kinds.flow : item.language}
                </Text>
                <Ago at={item.editedAt} />
                {mayRestore && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={itemsText.restoreOf(item.path)}
                    loading={bringBack.isPending && bringBack.variables.path === item.path}
                    onClick={() => bringBack.mutate(item)}
                  >
                    {itemsText.restore}
                  </Button>
                )}
              </div>
            )}
          </VirtualList>
        )}
      </div>
    </div>
  );
}

function FolderRow({ entry: { path, name, depth, count }, search, isOpen }: { entry: Folder; search: Search; isOpen: boolean }) {
  return (
    <Link
      to="."
      search={{ ...search, folder: path || undefined }}
      replace
      preload={false}
      className="folder"
      style={{ paddingInlineStart: `${0.5 + depth}rem` }}
      aria-current={isOpen ? "true" : undefined}
    >
      <span>{name}</span>
      <span className="folder-count">{count}</span>
    </Link>
  );
}

function NoItems({ isArchived }: { isArchived: boolean }) {
  const member = useMember();
  if (!isArchived && !isOffered("scripts.create", member)) {
    return (
      <Empty title={homeText.nothingShared} guide="permissions#sources-of-permissions">
        <Text>{homeText.nothingSharedWhy}</Text>
      </Empty>
    );
  }
  return (
    <Empty title={isArchived ? itemsText.noneArchived : itemsText.empty} guide="scripts#saving">
      <Text>{isArchived ? itemsText.noneArchivedWhy : itemsText.emptyWhy}</Text>
    </Empty>
  );
}
