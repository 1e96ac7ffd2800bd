import { Button, Group, NativeSelect, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { AuditJson } from "../../../../../contract/routes/workspaces/audit.ts";
import { When } from "../../../shared/time/when.tsx";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { auditText as text } from "../../messages/objects/audit.ts";
import { ExportMenu } from "../../parts/export-menu.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { TextFilter } from "../../parts/text-filter.tsx";
import {
  type AuditCursor,
  type AuditFilter,
  describeParameters,
  entriesAsCsv,
  entriesAsJsonLines,
  loadEntries,
  readAllEntries,
  toFilter,
} from "./entries.ts";

const kinds = [{ value: "", label: text.anyKind }, ...Object.entries(text.kinds).map(([value, label]) => ({ value, label }))];

/** Lists what was done in a workspace, for its administrators. */
export default function AuditPage() {
  const workspace = useWorkspace();
  const member = useMember();
  return (
    <Page title={text.title}>
      {isOffered("audit.list", member) ? (
        <Entries workspace={workspace} />
      ) : (
        <Empty title={text.adminsOnly} guide="permissions">
          <Text>{text.adminsOnlyWhy}</Text>
        </Empty>
      )}
    </Page>
  );
}

function Entries({ workspace }: { workspace: string }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const filter = useMemo(() => toFilter(search), [search]);
  const field = (name: string, label: string, placeholder = "") => (
    <TextFilter label={label} placeholder={placeholder} value={search[name]} onTyped={(typed) => change({ [name]: typed })} />
  );
  const time = (name: string, label: string) => (
    <TextFilter label={label} type="datetime-local" value={search[name]} onTyped={(typed) => change({ [name]: typed })} />
  );
  return (
    <>
      <Text mb="sm">{text.why}</Text>
      <search aria-label={text.filters}>
        <Group className="filters" gap="xs" align="flex-end" mb="sm">
          {field("operation", text.operation, text.operationHelp)}
          {field("username", text.user)}
          {field("resource", text.object, text.objectHelp)}
          <NativeSelect
            size="xs"
            label={text.kind}
            data={kinds}
            value={search["kind"] ?? ""}
            onChange={({ target }) => change({ kind: target.value })}
          />
          <Group className="time-filters" gap="xs" align="flex-end">
            {time("from", text.from)}
            {time("to", text.to)}
          </Group>
          <ExportMenu
            name="audit"
            read={(onProgress, signal) => readAllEntries(workspace, filter, onProgress, signal)}
            write={{ csv: entriesAsCsv, jsonl: entriesAsJsonLines }}
          />
        </Group>
      </search>
      <Found workspace={workspace} filter={filter} />
    </>
  );
}

function Found({ workspace, filter }: { workspace: string; filter: AuditFilter }) {
  const entries = useInfiniteQuery({
    queryKey: [workspace, "audit", filter],
    queryFn: ({ pageParam, signal }) => loadEntries(workspace, filter, pageParam, signal),
    initialPageParam: { page: 1 } as AuditCursor,
    getNextPageParam: ({ next }) => next,
  });
  return (
    <>
      <Panel
        query={entries}
        guide="permissions"
        isEmpty={({ pages }) => pages.every((page) => page.entries.length === 0)}
        empty={
          <Empty title={text.empty} guide="permissions">
            <Text>{text.emptyWhy}</Text>
          </Empty>
        }
      >
        {({ pages }) => <EntryTable entries={pages.flatMap((page) => page.entries)} />}
      </Panel>
      {entries.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
          {text.more}
        </Button>
      )}
    </>
  );
}

function EntryTable({ entries }: { entries: readonly AuditJson[] }) {
  const { columns } = text;
  return (
    <ListTable caption={text.caption} columns={Object.values(columns)} verticalSpacing="xs">
      {entries.map((entry) => (
        <Table.Tr key={entry.id}>
          <Table.Td className="one-line">
            <When at={entry.timestamp} />
          </Table.Td>
          <Table.Td>{entry.username}</Table.Td>
          <Table.Td>
            <code>{entry.operation}</code>
          </Table.Td>
          <Table.Td>{text.kinds[entry.action_kind]}</Table.Td>
          <Table.Td className="path" miw="12rem">
            {entry.resource}
          </Table.Td>
          <Table.Td className="path">{describeParameters(entry)}</Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}
