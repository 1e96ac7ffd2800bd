import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Fact } from "../../../shared/fact.tsx";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { Panel } from "../../frame/panel.tsx";
import { detailsText as text } from "../../messages/versions.ts";
import { FlowSteps } from "./flow-steps.tsx";
import { LazyCode } from "./lazy-code.tsx";
import type { Runnable } from "./use-runnable.ts";

/** The source of a script or the steps of a flow, with what is known about it. */
export function DetailsTab({ workspace, runnable }: { workspace: string; runnable: Runnable }) {
  const { path, summary, description, schema, hash, editedBy, editedAt, script, flow } = runnable;
  const timeout = script?.timeout ?? flow?.timeout;
  const tag = script?.tag ?? flow?.tag;
  return (
    <Stack gap="md">
      <dl className="facts">
        <Fact name={text.path}>{path}</Fact>
        {summary && <Fact name={text.summary}>{summary}</Fact>}
        {script && <Fact name={text.language}>{script.language}</Fact>}
        {script && <Fact name={text.kind}>{script.kind}</Fact>}
        <Fact name={text.version}>{hash}</Fact>
        <Fact name={text.edited}>
          <Ago at={editedAt} focusable /> {text.by} {editedBy}
        </Fact>
        {tag && <Fact name={text.tag}>{tag}</Fact>}
        {timeout ? <Fact name={text.timeout}>{text.timeoutOf(timeout)}</Fact> : null}
      </dl>
      {description && (
        <Part title={text.description}>
          <Text className="message">{description}</Text>
        </Part>
      )}
      {script && (
        <Part title={text.code}>
          <LazyCode label={text.code} code={script.content} language={script.language} />
        </Part>
      )}
      {flow && (
        <Part title={text.steps}>
          {flow.value.preprocessor_module && <FlowSteps workspace={workspace} modules={[flow.value.preprocessor_module]} />}
          <FlowSteps workspace={workspace} modules={flow.value.modules} />
          {flow.value.failure_module && <FlowSteps workspace={workspace} modules={[flow.value.failure_module]} />}
        </Part>
      )}
      <Part title={text.schema}>
        {schema ? (
          <LazyCode label={text.schema} code={JSON.stringify(schema, null, 2)} language="json" isFolded />
        ) : (
          <Text c="dimmed">{text.noSchema}</Text>
        )}
      </Part>
      <Part title={text.usedBy}>
        <Uses workspace={workspace} runnable={runnable} />
      </Part>
      <Part title={text.runs}>
        <Link to="/w/$ws/runs" params={{ ws: workspace }} search={{ path }}>
          {text.openRuns}
        </Link>
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** Counts the schedules, triggers and tokens that start it. */
function Uses({ workspace, runnable: { kind, path } }: { workspace: string; runnable: Runnable }) {
  const counts = useQuery({
    queryKey: [workspace, "uses of", kind, path],
    queryFn: ({ signal }) => (kind === "flow" ? call.flows.countTriggers : call.scripts.countTriggers)({ workspace, path, signal }),
  });
  return (
    <Panel query={counts}>
      {(found) => {
        const uses = Object.entries(text.uses).map(([name, label]) => ({ label, count: found[name as keyof typeof text.uses] }));
        const present = uses.filter(({ count }) => count > 0);
        if (present.length === 0) return <Text c="dimmed">{text.usedNowhere}</Text>;
        return (
          <dl className="facts">
            {present.map(({ label, count }) => (
              <Fact key={label} name={label}>
                {count}
              </Fact>
            ))}
          </dl>
        );
      }}
    </Panel>
  );
}
