import { Container, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { SharedRunJson } from "../../../../../contract/routes/jobs/shares.ts";
import { Fact } from "../../../shared/fact.tsx";
import { Refused } from "../../../shared/service.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { durationText } from "../../../shared/time/time.ts";
import { Tree } from "../../../shared/tree.tsx";
import { call } from "../../data/api.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Failed, Loading } from "../../frame/panel.tsx";
import { stateText } from "../../messages/frame.ts";
import { runText } from "../../messages/run.ts";
import { shareText } from "../../messages/share.ts";
import { splitLog } from "../../parts/log/growing-log.ts";
import { Log } from "../../parts/log/log.tsx";
import { Result } from "../../parts/result/result.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";

/** Shows the run of a link to a visitor who is not signed in. */
export default function SharePage() {
  const { token = "" } = useParams({ strict: false });
  const shared = useQuery({ queryKey: ["shared", token], queryFn: ({ signal }) => call.jobs.getShared({ token, signal }) });
  const refused = shared.error;
  return (
    <Container component="main" id="content" size="lg" py="lg">
      {shared.data && <Content run={shared.data} />}
      {!shared.data && !refused && <Loading />}
      {refused instanceof Refused && refused.status === 404 ? (
        <Page title={shareText.title}>
          <Empty title={shareText.gone} guide="console#share-a-run">
            <Text>{shareText.goneWhy}</Text>
          </Empty>
        </Page>
      ) : (
        refused && (
          <Page title={shareText.title}>
            <Failed error={refused} guide="console#share-a-run" onRetry={() => void shared.refetch()} />
          </Page>
        )
      )}
    </Container>
  );
}

function Content({ run }: { run: SharedRunJson }) {
  const log = useMemo(() => splitLog(run.logs), [run.logs]);
  const isEnded = run.completed_at !== undefined;
  return (
    <Page title={run.path || runText.preview} mark={<StateBadge state={run.state} />}>
      <Stack gap="lg">
        <dl className="facts run-facts">
          <Fact name={runText.facts.created}>
            <Ago at={run.created_at} focusable />
          </Fact>
          {run.duration_ms !== undefined && <Fact name={runText.facts.duration}>{durationText(run.duration_ms)}</Fact>}
          <Fact name={shareText.until}>
            <Ago at={run.expires_at} focusable />
          </Fact>
        </dl>
        {run.steps && (
          <Part title={shareText.steps}>
            <ul className="plain-list">
              {run.steps.map(({ id, state, done, of }) => (
                <li key={id}>
                  {id}: {wordOf(state)} {of !== undefined && runText.steps.iterations(done ?? 0, of)}
                </li>
              ))}
            </ul>
          </Part>
        )}
        {run.args && (
          <Part title={shareText.arguments} omitted={run.omitted.includes("args")}>
            <Tree value={run.args} open />
          </Part>
        )}
        <Part title={shareText.result} omitted={run.omitted.includes("result")}>
          {isEnded ? <Result value={run.result} name="result" /> : <Text c="dimmed">{runText.noResult}</Text>}
        </Part>
        <Part title={shareText.log}>
          <Log log={log} name="run.log" isOpen={false} />
        </Part>
      </Stack>
    </Page>
  );
}

const stepWords: Readonly<Record<string, string>> = { ...stateText, pending: runText.steps.waiting, waiting: stateText.awaiting_approval };
const wordOf = (state: string): string => stepWords[state] ?? state;

function Part({ title, omitted = false, children }: { title: string; omitted?: boolean; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {omitted ? <Text c="dimmed">{shareText.omitted}</Text> : children}
    </section>
  );
}
