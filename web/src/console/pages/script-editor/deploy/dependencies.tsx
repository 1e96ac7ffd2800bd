import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Note } from "../../../../shared/note.tsx";
import { call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { deployText as text } from "../../../messages/editor/script.ts";

const POLLED_MS = 1_500;

/** The deployment of a version: its lock, or why its build failed. */
export function Dependencies({ workspace, hash }: { workspace: string; hash: string }) {
  const status = useQuery({
    queryKey: [workspace, "deployment of", hash],
    queryFn: ({ signal }) => call.scripts.deploymentStatus({ workspace, hash, signal }),
    refetchInterval: ({ state: { data } }) => (data && data.lock === undefined && data.lock_error_logs === undefined ? POLLED_MS : false),
  });
  return (
    <Stack gap="xs" component="section" aria-label={text.dependencies}>
      <Title order={2} size="h5">
        {text.dependencies}
      </Title>
      <Panel query={status} guide="scripts#saving">
        {({ lock, lock_error_logs, job_id }) => (
          <Stack gap="xs">
            {lock_error_logs !== undefined ? (
              <Note tone="bad">
                <Text fw={600}>{text.failed}</Text>
                <Text size="sm">{text.log}</Text>
                <pre className="example">{lock_error_logs}</pre>
              </Note>
            ) : lock === undefined ? (
              <Text role="status">{text.building}</Text>
            ) : (
              <>
                <Text role="status">{text.built}</Text>
                {lock === "" ? (
                  <Text c="dimmed">{text.noPackages}</Text>
                ) : (
                  <details className="examples">
                    <summary>{text.lock}</summary>
                    <pre className="example">{lock}</pre>
                  </details>
                )}
              </>
            )}
            {job_id !== undefined && (
              <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: job_id }}>
                {text.openBuild}
              </Link>
            )}
          </Stack>
        )}
      </Panel>
    </Stack>
  );
}
