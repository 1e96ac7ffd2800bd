import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { waitingQuery } from "../../data/waiting.ts";
import { Empty, Panel } from "../../frame/panel.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { RequestList } from "./request-list.tsx";

interface WaitingProps {
  workspace: string;
  open: string | undefined;
  before?: string;
}

/** The requests that the user may decide, by page. */
export function Waiting({ workspace, open, before }: WaitingProps) {
  const waiting = useQuery(waitingQuery(workspace, before));
  const [showsMore, setShowsMore] = useState(false);
  return (
    <div>
      <Panel
        query={waiting}
        guide="approvals#deciding"
        isEmpty={(found) => found.requests.length === 0 && found.before === undefined && before === undefined}
        empty={
          <Empty title={approvalsText.nothingWaiting} guide="approvals#deciding">
            <Text>{approvalsText.nothingWaitingWhy}</Text>
          </Empty>
        }
      >
        {({ requests, before: next }) => (
          <>
            <RequestList
              open={open}
              lines={requests.map(({ gate_id, run_id, flow_path, module_id, summary, requested_by, opened_at, deadline }) => ({
                id: gate_id,
                run: run_id,
                title: summary || flow_path || module_id,
                path: flow_path,
                by: requested_by,
                at: opened_at,
                deadline,
              }))}
            />
            {next !== undefined &&
              (showsMore ? (
                <Waiting workspace={workspace} open={open} before={next} />
              ) : (
                <Group mt="sm">
                  <Button size="xs" variant="default" onClick={() => setShowsMore(true)}>
                    {approvalsText.more}
                  </Button>
                </Group>
              ))}
          </>
        )}
      </Panel>
    </div>
  );
}
