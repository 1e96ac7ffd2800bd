import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../data/api.ts";
import { Failed } from "../../../frame/panel.tsx";
import { runsText } from "../../../messages/runs.ts";
import { runsKey } from "../use-runs.ts";

const POLLED_MS = 1_500;
const text = runsText.bulk;

/** The progress of an action on many runs, which can be stopped. */
export function BulkProgress({ workspace, id, onHide }: { workspace: string; id: string; onHide: () => void }) {
  const queries = useQueryClient();
  const progress = useQuery({
    queryKey: [workspace, "bulk", id],
    queryFn: ({ signal }) => call.jobs.bulk.get({ workspace, bulk_id: id, signal }),
    refetchInterval: ({ state: { data } }) => (data && ["done", "stopped"].includes(data.state) ? false : POLLED_MS),
  });
  const stop = useMutation({
    mutationFn: () => call.jobs.bulk.stop({ workspace, bulk_id: id }),
    onSettled: () => progress.refetch(),
  });
  const found = progress.data;
  const hasEnded = found !== undefined && ["done", "stopped"].includes(found.state);
  useEffect(() => {
    if (hasEnded) void queries.invalidateQueries({ queryKey: runsKey(workspace) });
  }, [hasEnded, queries, workspace]);
  const error = progress.error ?? stop.error;
  return (
    <section aria-label={text.title} className="bulk">
      {error && <Failed error={error} onRetry={() => void progress.refetch()} />}
      {error && !found && (
        <Button size="xs" mt="xs" variant="default" onClick={onHide}>
          {text.hide}
        </Button>
      )}
      {found && (
        <Group gap="sm">
          <progress
            aria-label={text.progress(found.done, found.total, found.failed)}
            value={found.done + found.failed}
            max={Math.max(1, found.total)}
          />
          <Text size="sm" role="status">
            {hasEnded && `${found.state === "done" ? text.ended : text.stopped} `}
            {text.progress(found.done, found.total, found.failed)}
          </Text>
          <Button size="xs" variant="default" loading={stop.isPending} onClick={() => (hasEnded ? onHide() : stop.mutate())}>
            {hasEnded ? text.hide : text.stop}
          </Button>
        </Group>
      )}
      {found?.has_more && <Text size="sm">{text.more}</Text>}
      {found && found.errors.length > 0 && (
        <details>
          <summary>{text.errors}</summary>
          <ul>
            {found.errors.map(({ id: run, error: sentence }) => (
              <li key={`${run} ${sentence}`}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
