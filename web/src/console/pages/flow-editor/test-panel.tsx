import { Button, Group, Stack, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { Loading } from "../../frame/panel.tsx";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { type Step, useOutline } from "../run/steps/outline.ts";
import WaitedRun from "../runnable/waited-run.tsx";
import type { FlowDocument } from "./document/flow-document.ts";
import { testFlow } from "./flow-api.ts";

const RunForm = lazy(() => import("../../parts/run-form/run-form.tsx"));

interface TestPanelProps {
  workspace: string;
  path: string;
  document: FlowDocument;
  /** The job of the last test. */
  job: string | undefined;
  onStarted: (job: string) => void;
  onTested: (steps: ReadonlyMap<string, Step>) => void;
  onClose: () => void;
}

/** Runs the flow as it is in the editor, and shows the state of the run. The steps show their own. */
export default function TestPanel({ workspace, path, document, job, onStarted, onTested, onClose }: TestPanelProps) {
  const values = useRef<Record<string, unknown>>({});
  const start = useMutation({
    mutationFn: (args: Record<string, unknown>) => testFlow(workspace, path, document.value, args),
    onSuccess: onStarted,
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
        <Suspense fallback={<Loading />}>
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
        </Suspense>
        {job !== undefined && <TestRun key={job} workspace={workspace} job={job} onTested={onTested} />}
      </Stack>
    </section>
  );
}

function TestRun({ workspace, job, onTested }: { workspace: string; job: string; onTested: TestPanelProps["onTested"] }) {
  const { data } = useOutline({ workspace, id: job });
  useEffect(() => {
    if (data) onTested(new Map(data.pages.flat().map((step) => [step.path, step])));
  }, [data, onTested]);
  return <WaitedRun workspace={workspace} id={job} />;
}
