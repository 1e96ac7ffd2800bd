import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Fact } from "../../../../shared/fact.tsx";
import { Ago } from "../../../../shared/time/ago.tsx";
import { costText } from "../../../messages/cost.ts";
import { permissionsText } from "../../../messages/objects/people.ts";
import { detailsText as text, usedByText } from "../../../messages/versions.ts";
import { Permissions } from "../../../parts/people/permissions.tsx";
import { LazyCode } from "../lazy-code.tsx";
import type { Runnable } from "../use-runnable.ts";
import { FlowPart } from "./flow-part.tsx";
import { LastRuns } from "./last-runs.tsx";
import { PathCost } from "./path-cost.tsx";
import { UsedBy } from "./used-by.tsx";

/** The source of a script or the steps of a flow, with what is known about it. */
export default function DetailsTab({ workspace, runnable }: { workspace: string; runnable: Runnable }) {
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
          <FlowPart workspace={workspace} flow={flow} />
        </Part>
      )}
      <Part title={text.runs}>
        <LastRuns workspace={workspace} runnable={runnable} />
      </Part>
      <Part title={text.schema}>
        {schema ? (
          <LazyCode label={text.schema} code={JSON.stringify(schema, null, 2)} language="json" isFolded />
        ) : (
          <Text c="dimmed">{text.noSchema}</Text>
        )}
      </Part>
      <Part title={usedByText.title}>
        <UsedBy workspace={workspace} runnable={runnable} />
      </Part>
      <Part title={permissionsText.title}>
        <Permissions kind={runnable.kind} path={path} />
      </Part>
      <Part title={costText.ofPath}>
        <PathCost workspace={workspace} runnable={runnable} />
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
