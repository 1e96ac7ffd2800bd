import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { Panel } from "../../../frame/panel.tsx";
import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import WaitedRun from "../../runnable/waited-run.tsx";
import type { FlowDocument } from "../document/flow-document.ts";
import { testFlow } from "../flow-api.ts";
import { loadLastInputs } from "./last-inputs.ts";

const RunForm = loadOnDemand(() => import("../../../parts/run-form/run-form.tsx"));

interface TestPanelProps {
  workspace: string;
  path: string;
  document: FlowDocument;
  /** The job of the last test of the flow. */
  job: string | undefined;
  onStarted: (job: string) => void;
  onClose: () => void;
}

/** Runs the flow as it is in the editor, and shows the state of the run. The steps show their own. */
export default function TestPanel({ workspace, path, document, job, onStarted, onClose }: TestPanelProps) {
  const last = useQuery({
    queryKey: [workspace, "last inputs", path],
    queryFn: ({ signal }) => loadLastInputs(workspace, { path, job }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className="flow-side-part" aria-label={text.testTitle}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {text.testTitle}
          </Title>
          <Button size="compact-xs" variant="default" onClick={onClose}>
            {text.closeTest}
          </Button>
        </Group>
        <Panel query={last}>
          {(inputs) => <Inputs workspace={workspace} path={path} document={document} inputs={inputs} onStarted={onStarted} />}
        </Panel>
        {job !== undefined && (
          <>
            <Text size="sm">{text.testStates}</Text>
            <WaitedRun key={job} workspace={workspace} id={job} />
          </>
        )}
      </Stack>
    </section>
  );
}

interface InputsProps extends Pick<TestPanelProps, "workspace" | "path" | "document" | "onStarted"> {
  inputs: Record<string, unknown>;
}

function Inputs({ workspace, path, document, inputs, onStarted }: InputsProps) {
  const values = useRef(inputs);
  const start = useMutation({
    mutationFn: (args: Record<string, unknown>) => testFlow(workspace, path, document.value, args),
    onSuccess: onStarted,
  });
  return (
    <RunForm
      schema={document.schema ?? undefined}
      values={values}
      isSending={start.isPending}
      error={start.error}
      onSubmit={(args) => start.mutate(args)}
    >
      <Group>
        <Button type="submit" size="xs" loading={start.isPending}>
          {text.runTest}
        </Button>
      </Group>
    </RunForm>
  );
}
