import { Stack, Tabs, Text } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Fact } from "../../../shared/fact.tsx";
import { Note } from "../../../shared/note.tsx";
import { Ago } from "../../../shared/time/ago.tsx";
import { durationText } from "../../../shared/time/time.ts";
import { Tree } from "../../../shared/tree.tsx";
import { useWorkspace } from "../../data/me.ts";
import { stateOf } from "../../data/run-state.ts";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { runText } from "../../messages/run.ts";
import { triggerText } from "../../messages/runs.ts";
import { Hint } from "../../parts/hint.tsx";
import { Log } from "../../parts/log/log.tsx";
import { Result } from "../../parts/result/result.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Actions } from "./actions.tsx";
import { Approvals } from "./approvals.tsx";
import { causeOf } from "./cause.ts";
import { Cost } from "./cost.tsx";
import { Code } from "./steps/detail.tsx";
import { sumWaits, useOutline } from "./steps/outline.ts";
import { Steps } from "./steps/steps.tsx";
import { Timeline } from "./steps/timeline.tsx";
import { type RunJob, useLog, useRun } from "./use-run.ts";

const tabs = ["steps", "timeline", "logs", "result", "arguments", "details"] as const;

/** Shows one run: its state, its cause, its steps, its log and its result. */
export default function RunPage() {
  const workspace = useWorkspace();
  const { id = "" } = useParams({ strict: false });
  const run = useRun(workspace, id);
  if (run.data) return <Content key={id} workspace={workspace} run={run.data} />;
  if (!run.error) return <Loading />;
  return (
    <Page title={frameText.failed}>
      <Failed error={run.error} guide="console#a-run" onRetry={() => void run.refetch()} />
    </Page>
  );
}

function Content({ workspace, run }: { workspace: string; run: RunJob }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { log, stream } = useLog(workspace, run);
  const cause = causeOf(run);
  const isFlow = run.flow_status !== undefined;
  const tab = tabs.find((name) => name === search["tab"]) ?? (isFlow ? "steps" : "logs");
  return (
    <Page
      title={run.script_path || runText.preview}
      mark={<StateBadge state={stateOf(run, Date.now())} />}
      actions={<Actions workspace={workspace} run={run} />}
    >
      <Stack gap="md">
        <Hint name="run" guide="console#a-run" />
        <Header workspace={workspace} run={run} />
        <Approvals workspace={workspace} run={run} />
        {cause && (
          <Note tone="bad" title={runText.cause}>
            {cause.step !== undefined && <Text>{runText.causeAt(cause.step)}</Text>}
            <Text className="message">
              {cause.name && `${cause.name}: `}
              {cause.message}
            </Text>
          </Note>
        )}
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(name) => void navigate({ to: ".", search: { ...search, tab: name ?? undefined }, replace: true })}
        >
          <Tabs.List aria-label={runText.tabList}>
            {tabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {runText.tabs[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="steps" pt="sm">
            <Steps workspace={workspace} run={run} />
          </Tabs.Panel>
          <Tabs.Panel value="timeline" pt="sm">
            <Timeline workspace={workspace} run={run} />
          </Tabs.Panel>
          <Tabs.Panel value="logs" pt="sm">
            <Log log={log} name={`${run.id}.log`} isOpen={run.type === "QueuedJob"} />
          </Tabs.Panel>
          <Tabs.Panel value="result" pt="sm">
            {run.type === "CompletedJob" ? (
              <Result value={run.result} name={run.id} />
            ) : (
              <Text c="dimmed">{stream || runText.noResult}</Text>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="arguments" pt="sm">
            {Object.keys(run.args ?? {}).length > 0 ? <Tree value={run.args} open /> : <Text c="dimmed">{runText.noArguments}</Text>}
          </Tabs.Panel>
          <Tabs.Panel value="details" pt="sm">
            <Details run={run} />
            {run.type === "CompletedJob" && <Cost workspace={workspace} id={run.id} />}
            {!isFlow && <Code workspace={workspace} id={run.id} />}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}

/** The answers to who, when and how long. */
function Header({ workspace, run }: { workspace: string; run: RunJob }) {
  const { facts } = runText;
  const { started_at, created_at, parent_job } = run;
  const queuedMs = started_at === undefined ? undefined : Math.max(0, Date.parse(started_at) - Date.parse(created_at));
  return (
    <dl className="facts run-facts">
      <Fact name={facts.created}>
        <Ago at={created_at} focusable />
      </Fact>
      {queuedMs !== undefined && <Fact name={facts.queued}>{durationText(queuedMs)}</Fact>}
      {run.type === "CompletedJob" && <Fact name={facts.duration}>{durationText(run.duration_ms)}</Fact>}
      {run.type === "QueuedJob" && run.running && started_at !== undefined && (
        <Fact name={facts.running}>{durationText(Math.max(0, Date.now() - Date.parse(started_at)))}</Fact>
      )}
      {run.flow_status && <Waited workspace={workspace} id={run.id} />}
      <Fact name={facts.by}>{run.created_by}</Fact>
      <Fact name={facts.as}>{run.permissioned_as}</Fact>
      {run.trigger_kind && (
        <Fact name={facts.trigger}>{[triggerText(run.trigger_kind), run.schedule_path ?? run.trigger_path].filter(Boolean).join(" ")}</Fact>
      )}
      {run.script_hash && (
        <Fact name={facts.version}>
          <VersionLink workspace={workspace} run={run} />
        </Fact>
      )}
      {parent_job && (
        <Fact name={facts.parent}>
          <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: parent_job }}>
            {parent_job}
          </Link>
        </Fact>
      )}
      {run.canceled_by && <Fact name={facts.canceledBy}>{run.canceled_by}</Fact>}
      {run.canceled_reason && <Fact name={facts.reason}>{run.canceled_reason}</Fact>}
    </dl>
  );
}

/** Shows how long the steps of a flow have waited for approvals. The list of the steps reads the same outline. */
function Waited({ workspace, id }: { workspace: string; id: string }) {
  const outline = useOutline({ workspace, id });
  const waitedMs = sumWaits(outline.data?.pages.flat() ?? [], Date.now());
  return waitedMs === undefined ? null : <Fact name={runText.facts.waited}>{durationText(waitedMs)}</Fact>;
}

const itemAddresses: Readonly<Record<string, "/w/$ws/scripts/$" | "/w/$ws/flows/$">> = {
  script: "/w/$ws/scripts/$",
  flow: "/w/$ws/flows/$",
};

/** The version of a script or a flow, with a link to its page. */
function VersionLink({ workspace, run: { job_kind, script_path, script_hash } }: { workspace: string; run: RunJob }) {
  const to = itemAddresses[job_kind];
  if (!to || !script_path) return script_hash;
  return (
    <Link to={to} params={{ ws: workspace, _splat: script_path }} search={{ tab: "versions" }} preload={false}>
      {script_hash}
    </Link>
  );
}

function Details({ run }: { run: RunJob }) {
  const { facts } = runText;
  return (
    <dl className="facts">
      <Fact name={facts.id}>{run.id}</Fact>
      <Fact name={facts.kind}>{run.job_kind}</Fact>
      {run.language && <Fact name={facts.language}>{run.language}</Fact>}
      <Fact name={facts.tag}>{run.tag}</Fact>
      {run.labels && run.labels.length > 0 && <Fact name={facts.labels}>{run.labels.join(", ")}</Fact>}
      {run.worker && <Fact name={facts.worker}>{run.worker}</Fact>}
      <Fact name={facts.email}>{run.email}</Fact>
    </dl>
  );
}
