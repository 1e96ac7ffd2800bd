import { Button, Group, Table, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Page } from "../../frame/page.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import { ListTable } from "../list-table.tsx";
import { DeleteDialog, type DeletionWords } from "./delete-dialog.tsx";
import type { StoredList } from "./use-stored-list.ts";

interface StoredPageProps<T> {
  text: {
    title: string;
    why: string;
    new: string;
    searchHelp: string;
    /** Names the table. */
    caption: string;
    empty: string;
    emptyWhy: string;
    /** The consequences of a deletion. */
    deleteWhy?: string;
    /** The words of a deletion, if it is called a removal. */
    removal?: DeletionWords;
  };
  /** The guide that explains the objects. */
  guide: string;
  list: StoredList<T>;
  mayCreate: boolean;
  /** Shows further consequences of the deletion of an object. */
  consequences?: (path: string) => ReactNode;
  /** Deletes an object by its path or name. */
  remove: (path: string) => Promise<unknown>;
  columns: readonly string[];
  /** False if this person can do nothing with an object, so that the rows have no cell of actions. Default: true. */
  hasActions?: boolean;
  keyOf: (item: T) => string;
  /** The cells of an object. */
  row: (item: T) => ReactNode;
  /** Further filters. */
  filters?: ReactNode;
  /** The other dialogs. */
  children: ReactNode;
}

/** A page that lists the stored objects of a kind, with a search and a button to create one. */
export function StoredPage<T>(props: StoredPageProps<T>) {
  const { text, guide, list, mayCreate, consequences, remove, filters, children } = props;
  const { search, query, isShown } = list;
  const isFiltered = search.sought !== "" || search.type !== undefined;
  return (
    <Page title={text.title}>
      <Text mb="sm">{text.why}</Text>
      <Group role="search" aria-label={storedText.filters} gap="xs" align="flex-end" mb="sm">
        <TextInput
          size="xs"
          className="stored-search"
          label={storedText.search}
          placeholder={text.searchHelp}
          value={search.text}
          onChange={({ target }) => search.change({ search: target.value })}
        />
        {filters}
        {mayCreate && (
          <Button size="xs" color="blue.8" onClick={search.openNew}>
            {text.new}
          </Button>
        )}
      </Group>
      <Panel
        query={query}
        guide={guide}
        isEmpty={({ pages }) => !pages.some((page) => page.some(isShown))}
        empty={
          <Empty title={isFiltered ? storedText.noMatch : text.empty} guide={guide}>
            <Text>{isFiltered ? storedText.noMatchWhy : mayCreate ? text.emptyWhy : storedText.emptyForReader}</Text>
          </Empty>
        }
      >
        {({ pages }) => <Listed {...props} items={pages.flat().filter(isShown)} />}
      </Panel>
      {query.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {storedText.more}
        </Button>
      )}
      {children}
      <DeleteDialog
        path={list.deleted}
        why={text.deleteWhy ?? storedText.deleteWhy}
        words={text.removal}
        remove={remove}
        onDeleted={() => void list.refresh()}
        onClose={list.closeDeletion}
      >
        {list.deleted !== undefined && consequences?.(list.deleted)}
      </DeleteDialog>
    </Page>
  );
}

function Listed<T>({ text, columns, hasActions = true, keyOf, row, items }: StoredPageProps<T> & { items: readonly T[] }) {
  return (
    <ListTable caption={text.caption} columns={hasActions ? [...columns, storedText.actions] : columns} verticalSpacing="xs">
      {items.map((item) => (
        <Table.Tr key={keyOf(item)}>{row(item)}</Table.Tr>
      ))}
    </ListTable>
  );
}
