import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../../shared/time/ago.tsx";
import { exactText } from "../../../../shared/time/time.ts";
import { call } from "../../../data/api.ts";
import { useMember } from "../../../data/me.ts";
import { stateOf } from "../../../data/run-state.ts";
import { Failed, Panel } from "../../../frame/panel.tsx";
import { testText as text } from "../../../messages/editor/script.ts";
import { RunPreview } from "../../../parts/run-preview.tsx";
import { StateBadge } from "../../../parts/state-badge.tsx";

type Args = Record<string, unknown>;

const MOST_SHOWN = 5;

export const earlierTestsKey = (workspace: string, path: string) => [workspace, "tests of", path] as const;

/** The last tests of the person: their states, the beginnings of their arguments and results, and a link. Secrets are not among them. */
export function EarlierTests({ workspace, path, onChosen }: { workspace: string; path: string; onChosen: (args: Args) => void }) {
  const { username } = useMember();
  const tests = useQuery({
    queryKey: earlierTestsKey(workspace, path),
    queryFn: ({ signal }) =>
      call.jobs.list({
        workspace,
        query: { job_kinds: "preview", script_path_exact: path, created_by: username, per_page: MOST_SHOWN, include_preview: true },
        signal,
      }),
  });
  const load = useMutation({ mutationFn: (id: string) => call.inputs.getArgs({ workspace, id }), onSuccess: onChosen });
  return (
    <Stack gap="xs" component="section" aria-label={text.earlier}>
      <Title order={3} size="h6">
        {text.earlier}
      </Title>
      {load.error && <Failed error={load.error} />}
      <Panel
        query={tests}
        isEmpty={(found) => found.length === 0}
        empty={<Text c="dimmed">{text.noEarlier}</Text>}
        guide="console#script-editor"
      >
        {(found) => (
          <Stack component="ul" gap="xs" className="plain-list">
            {found.map((run) => (
              <li key={run.id}>
                <Group gap="xs">
                  <StateBadge state={stateOf(run, Date.now())} />
                  <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run.id }}>
                    <Ago at={run.created_at} />
                  </Link>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={text.argumentsOf(exactText(run.created_at))}
                    loading={load.isPending && load.variables === run.id}
                    onClick={() => load.mutate(run.id)}
                  >
                    {text.use}
                  </Button>
                </Group>
                <RunPreview run={run} />
              </li>
            ))}
          </Stack>
        )}
      </Panel>
    </Stack>
  );
}
