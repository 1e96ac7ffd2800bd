import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { isOffered } from "../../../../access/actions.ts";
import { call } from "../../../../data/api.ts";
import { useMember } from "../../../../data/me.ts";
import { hasEnded, stateOf } from "../../../../data/run-state.ts";
import { loadOnDemand } from "../../../../frame/load-on-demand.tsx";
import { Failed, Panel } from "../../../../frame/panel.tsx";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { Log } from "../../../../parts/log/log.tsx";
import { Result } from "../../../../parts/result/result.tsx";
import { causeOf } from "../../../run/cause.ts";
import { type RunJob, useLog, useRun } from "../../../run/use-run.ts";
import { RunHead } from "../../../runnable/waited-run.tsx";
import type { FlowValue } from "../../document/flow-document.ts";
import { testFlow } from "../../flow-api.ts";
import type { StepPanelProps } from "../../step-props.ts";
import { loadLastInputs } from "../../test/last-inputs.ts";
import { type StepContext, useStepContext } from "../context.ts";
import { useStepSchema } from "../inputs/use-step-schema.ts";
import { loadArguments } from "./load-arguments.ts";
import { cutAfter, toStepFlow } from "./preview-flow.ts";

const RunForm = loadOnDemand(() => import("../../../../parts/run-form/run-form.tsx"));

type Args = Record<string, unknown>;
type Test = "step" | "upTo";

/** Tests of one step, alone or with the steps before it. */
export function TestStep({ workspace, path, flow, schema, module, onChange, lastJob, tested, iterations, onTest }: StepPanelProps) {
  const [opened, setOpened] = useState<Test>();
  const runsCode = ["script", "flow", "rawscript"].includes(module.value.type);
  const inputs = useStepSchema(workspace, module.value);
  const start = useMutation({
    mutationFn: ({ value, args }: { value: FlowValue; args: Args; step?: string }) => testFlow(workspace, path, value, args),
    onSuccess: (job, { step }) => onTest({ job, step }),
  });
  const lastInputs: Begin = (_, signal) => loadLastInputs(workspace, { path, job: lastJob }, signal);
  const loadStepInputs: Begin = async (context, signal) =>
    loadArguments({ context, flow, module, iterations }, await lastInputs(context, signal), signal);
  const cut = cutAfter(flow, module.id);
  // Another panel may have started a test with a job of this step.
  const shownJob = start.data ?? tested?.step.job;
  if (!isOffered("jobs.run.previewFlow", useMember())) return null;
  return (
    <Stack gap="sm" component="section" aria-label={text.test}>
      <Title order={3} size="h6">
        {text.test}
      </Title>
      <Group gap="xs">
        <Button size="xs" aria-expanded={opened === "step"} onClick={() => setOpened("step")}>
          {text.testStep}
        </Button>
        {cut && (
          <Button size="xs" variant="default" aria-expanded={opened === "upTo"} onClick={() => setOpened("upTo")}>
            {text.testUpTo}
          </Button>
        )}
      </Group>
      {opened === "step" && (
        <TestForm
          key="step"
          shownFor={[...iterations]}
          title={runsCode ? text.testInputs : text.flowInputs}
          help={runsCode ? text.testInputsHelp : undefined}
          schema={(runsCode ? inputs.data : schema) ?? undefined}
          begin={runsCode ? loadStepInputs : lastInputs}
          isSending={start.isPending}
          error={start.error}
          onClose={() => setOpened(undefined)}
          onSubmit={(args) =>
            start.mutate({
              step: module.id,
              ...(runsCode ? { value: toStepFlow(flow, module, args), args: {} } : { value: toStepFlow(flow, module), args }),
            })
          }
        />
      )}
      {opened === "upTo" && cut && (
        <TestForm
          key="upTo"
          title={text.flowInputs}
          schema={schema ?? undefined}
          begin={lastInputs}
          isSending={start.isPending}
          error={start.error}
          onClose={() => setOpened(undefined)}
          onSubmit={(args) => start.mutate({ value: cut, args })}
        />
      )}
      {shownJob !== undefined && (
        <TestRun
          key={shownJob}
          workspace={workspace}
          id={shownJob}
          onMock={(value) => onChange({ ...module, mock: { enabled: true, return_value: value } })}
        />
      )}
    </Stack>
  );
}

type Begin = (context: StepContext, signal: AbortSignal) => Promise<Args>;

interface TestFormProps {
  title: string;
  help?: string | undefined;
  /** The iterations for which the form begins with its values. */
  shownFor?: readonly (readonly [string, number])[];
  schema: Args | undefined;
  begin: Begin;
  isSending: boolean;
  error: Error | null;
  onSubmit: (args: Args) => void;
  onClose: () => void;
}

function TestForm({ title, help, shownFor, schema, begin, isSending, error, onSubmit, onClose }: TestFormProps) {
  const context = useStepContext();
  const values = useQuery({
    queryKey: [context.workspace, "test inputs", context.key, title, context.lastJob, shownFor],
    queryFn: ({ signal }) => begin(context, signal),
    gcTime: 0,
  });
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Title order={4} size="h6">
        {title}
      </Title>
      {help && <Text size="sm">{help}</Text>}
      <Panel query={values}>
        {(found) => (
          <Arguments schema={schema} found={found} isSending={isSending} error={error} onSubmit={onSubmit}>
            <Group gap="xs">
              <Button type="submit" size="xs" loading={isSending}>
                {text.run}
              </Button>
              <Button size="xs" variant="default" onClick={onClose}>
                {text.closeForm}
              </Button>
            </Group>
          </Arguments>
        )}
      </Panel>
    </Paper>
  );
}

interface ArgumentsProps extends Pick<TestFormProps, "schema" | "isSending" | "error" | "onSubmit"> {
  found: Args;
  children: ReactNode;
}

function Arguments({ found, children, ...props }: ArgumentsProps) {
  const values = useRef(found);
  return (
    <RunForm {...props} values={values}>
      {children}
    </RunForm>
  );
}

interface TestRunProps {
  workspace: string;
  id: string;
  onMock: (value: unknown) => void;
}

/** The state and the result of a test while it runs and after it. */
function TestRun({ workspace, id, onMock }: TestRunProps) {
  const run = useRun(workspace, id);
  return (
    <Paper withBorder p="sm" component="section" aria-label={text.result}>
      <Panel query={run}>{(found) => <Outcome workspace={workspace} run={found} onMock={onMock} />}</Panel>
    </Paper>
  );
}

function Outcome({ workspace, run, onMock }: { workspace: string; run: RunJob; onMock: (value: unknown) => void }) {
  const { log, stream } = useLog(workspace, run);
  const [isMock, setIsMock] = useState(false);
  const state = stateOf(run, Date.now());
  const cause = causeOf(run);
  const cancel = useMutation({ mutationFn: () => call.jobs.cancel({ workspace, id: run.id, body: {} }) });
  const use = () => {
    onMock(run.type === "CompletedJob" ? run.result : null);
    setIsMock(true);
  };
  return (
    <Stack gap="sm">
      <RunHead workspace={workspace} run={run}>
        {!hasEnded(state) && (
          <Button size="compact-xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {text.cancel}
          </Button>
        )}
        {state === "succeeded" && (
          <Button size="compact-xs" variant="default" onClick={use}>
            {text.useAsMock}
          </Button>
        )}
      </RunHead>
      {isMock && (
        <Text size="sm" role="status">
          {text.mockUsed}
        </Text>
      )}
      {cancel.error && <Failed error={cancel.error} />}
      {cause && (
        <Text size="sm" className="message">
          {text.failed([cause.name, cause.message].filter(Boolean).join(": "))}
        </Text>
      )}
      {run.type === "CompletedJob" ? <Result value={run.result} name={run.id} /> : <Text size="sm">{stream || text.waiting}</Text>}
      <Log log={log} name={`${run.id}.log`} isOpen={run.type === "QueuedJob"} />
    </Stack>
  );
}
