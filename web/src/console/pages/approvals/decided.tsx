import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { approvalRecordOperations } from "../../../../../contract/client/operations/approvals.ts";
import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { waitingKey } from "../../data/waiting.ts";
import { Empty, Panel } from "../../frame/panel.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { distinctEntries, whoDecided } from "./record.ts";
import { Verification } from "./verification.tsx";

const PER_PAGE = 50;

/** The record of all decisions of the workspace. */
export default function Decided({ workspace }: { workspace: string }) {
  const record = useInfiniteQuery({
    queryKey: [...waitingKey(workspace), "decided"],
    queryFn: ({ pageParam, signal }) => call.approvals.audit({ workspace, query: { per_page: PER_PAGE, before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ before }) => before,
  });
  const entries = distinctEntries(record.data?.pages.flatMap((page) => page.entries) ?? []);
  const { columns } = approvalsText;
  const csv = toRequest(approvalRecordOperations, "approvals.audit", { workspace, query: { format: "csv" } }).address;
  return (
    <Stack gap="md">
      <Verification workspace={workspace} />
      <Panel
        query={record}
        guide="approvals#the-record"
        isEmpty={() => entries.length === 0 && !record.hasNextPage}
        empty={
          <Empty title={approvalsText.nothingDecided} guide="approvals#the-record">
            <Text>{approvalsText.nothingDecidedWhy}</Text>
          </Empty>
        }
      >
        {() => (
          <ListTable caption={approvalsText.record} columns={Object.values(columns)} highlightOnHover verticalSpacing={4}>
            {entries.map((entry) => (
              <Table.Tr key={`${entry.root} ${entry.n}`}>
                <Table.Td>
                  <Ago at={new Date(entry.atMs).toISOString()} focusable />
                </Table.Td>
                <Table.Td>
                  {approvalsText.what[entry.what]}
                  {!entry.decides && (
                    <Text size="xs" c="dimmed">
                      {approvalsText.partOf}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className="path">
                  <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: entry.root }}>
                    {entry.flowPath ?? entry.root}
                  </Link>
                </Table.Td>
                <Table.Td>{entry.module}</Table.Td>
                <Table.Td>{whoDecided(entry)}</Table.Td>
                <Table.Td className="path">{entry.reason}</Table.Td>
              </Table.Tr>
            ))}
          </ListTable>
        )}
      </Panel>
      <Group gap="xs">
        {record.hasNextPage && (
          <Button size="xs" variant="default" loading={record.isFetchingNextPage} onClick={() => void record.fetchNextPage()}>
            {approvalsText.more}
          </Button>
        )}
        {entries.length > 0 && (
          <Button size="xs" variant="default" component="a" href={`${basePath}${csv}`} download="approvals.csv">
            {approvalsText.csv}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
