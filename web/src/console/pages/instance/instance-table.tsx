import { Button, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { notifications } from "../../frame/notifications.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { instanceTabsText as text } from "../../messages/objects/instance.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { TypedConfirm } from "../../parts/typed-confirm.tsx";

const PER_PAGE = 100;

interface ListRequest {
  query: { page: number; per_page: number };
  signal: AbortSignal;
}

/** A list of the instance, page by page. `change` runs a change, reports it and reads the list again. */
export function useInstanceList<T>(name: string, load: (request: ListRequest) => Promise<T[]>) {
  const queries = useQueryClient();
  const queryKey = ["instance", name];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load({ query: { page: pageParam, per_page: PER_PAGE }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length === PER_PAGE ? all.length + 1 : undefined),
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  return { query, refresh };
}

/** A change of an object of the instance. A refusal is reported, and the list is read again. */
export function useInstanceChange(refresh: () => Promise<unknown>) {
  return useMutation({
    mutationFn: async ({ change, message }: { change: () => Promise<unknown>; message: string }) => {
      await change();
      return message;
    },
    onSuccess: async (message) => {
      notifications.show({ message });
      await refresh();
    },
    onError: ({ message }) => notifications.show({ message }),
  });
}

interface InstanceTableProps<T> {
  list: ReturnType<typeof useInstanceList<T>>;
  why: string;
  caption: string;
  columns: readonly string[];
  empty: { title: string; why: string };
  keyOf: (item: T) => string;
  row: (item: T, askToDelete: () => void) => ReactNode;
  /** Absent: the objects are deleted elsewhere. */
  deletion?: { why: (name: string) => string; remove: (name: string) => Promise<unknown> };
  /** The form of a new object. */
  children: ReactNode;
}

/** A list of a tab of the instance. */
export function InstanceTable<T>({ list, why, caption, columns, empty, keyOf, row, deletion, children }: InstanceTableProps<T>) {
  const { query, refresh } = list;
  const [deleted, setDeleted] = useState<string>();
  const remove = useMutation({
    mutationFn: async (name: string) => deletion?.remove(name),
    onSuccess: async (_, name) => {
      notifications.show({ message: text.deleted(name) });
      setDeleted(undefined);
      await refresh();
    },
  });
  return (
    <>
      <Text my="sm">{why}</Text>
      {children}
      <Panel
        query={query}
        guide="permissions#users-members-and-roles"
        isEmpty={({ pages }) => pages.every((page) => page.length === 0)}
        empty={
          <Empty title={empty.title} guide="permissions#users-members-and-roles">
            <Text>{empty.why}</Text>
          </Empty>
        }
      >
        {({ pages }) => (
          <ListTable caption={caption} columns={columns} verticalSpacing="xs">
            {pages.flat().map((item) => (
              <Table.Tr key={keyOf(item)}>{row(item, () => setDeleted(keyOf(item)))}</Table.Tr>
            ))}
          </ListTable>
        )}
      </Panel>
      {query.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {text.more}
        </Button>
      )}
      {deletion && deleted !== undefined && (
        <TypedConfirm
          title={text.deleteTitle(deleted)}
          action={text.delete}
          name={deleted}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(deleted)}
          onClose={() => {
            remove.reset();
            setDeleted(undefined);
          }}
        >
          {deletion.why(deleted)}
        </TypedConfirm>
      )}
    </>
  );
}

/** The button that deletes a row. */
export function DeleteButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button size="compact-sm" variant="default" aria-label={text.deleteOf(name)} onClick={onClick}>
      {text.delete}
    </Button>
  );
}
