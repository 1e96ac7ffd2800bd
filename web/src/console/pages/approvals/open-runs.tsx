import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ask } from "../../data/api.ts";
import { waitingKey } from "../../data/waiting.ts";
import { Empty, Panel } from "../../frame/panel.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { nameOf } from "../runs/name.ts";
import { RequestList } from "./request-list.tsx";

const PER_PAGE = 50;

/** All flows that wait for an approval and that the user may see. */
export function OpenRuns({ workspace, open }: { workspace: string; open: string | undefined }) {
  const runs = useInfiniteQuery({
    queryKey: [...waitingKey(workspace), "all"],
    queryFn: async ({ pageParam, signal }) => {
      const query = { suspended: true, per_page: PER_PAGE, cursor: pageParam };
      const { value, headers } = await ask.jobs.list({ workspace, query, signal });
      return { runs: value, cursor: headers.get("x-next-cursor") ?? undefined };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  });
  const listed = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <div>
      <Panel
        query={runs}
        guide="approvals#deciding"
        isEmpty={() => listed.length === 0 && !runs.hasNextPage}
        empty={
          <Empty title={approvalsText.nothingOpen} guide="approvals#an-approval-step">
            <Text>{approvalsText.nothingOpenWhy}</Text>
          </Empty>
        }
      >
        {() => (
          <RequestList
            open={open}
            lines={listed.map((run) => ({
              id: run.id,
              run: run.root_job ?? run.id,
              title: nameOf(run),
              by: run.created_by,
              at: run.created_at,
            }))}
          />
        )}
      </Panel>
      {runs.hasNextPage && (
        <Group mt="sm">
          <Button size="xs" variant="default" loading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            {approvalsText.more}
          </Button>
        </Group>
      )}
    </div>
  );
}
