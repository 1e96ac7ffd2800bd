import { Button, Group, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Panel } from "../../frame/panel.tsx";
import { runnableText } from "../../messages/runnable.ts";
import { DraftNote } from "../../parts/draft/draft-note.tsx";
import { useRunDraft } from "../../parts/run-form/use-run-draft.ts";
import { EarlierArguments } from "./earlier-arguments.tsx";
import type { Runnable } from "./use-runnable.ts";

const WaitedRun = loadOnDemand(() => import("./waited-run.tsx"));
const RunForm = loadOnDemand(() => import("../../parts/run-form/run-form.tsx"));

type Args = Record<string, unknown>;

interface RunTabProps {
  workspace: string;
  runnable: Runnable;
}

/** The form of a script or a flow, with the arguments of the run that the address names. Secrets are not among them. */
export function RunTab(props: RunTabProps) {
  const { workspace } = props;
  const { from } = useSearch({ strict: false });
  const earlier = useQuery({
    queryKey: [workspace, "arguments", from],
    queryFn: ({ signal }) => call.inputs.getArgs({ workspace, id: from ?? "", signal }),
    enabled: from !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (from === undefined) return <FormOfRun key="new" {...props} args={{}} />;
  return <Panel query={earlier}>{(args) => <FormOfRun key={from} {...props} args={args} />}</Panel>;
}

/** A run opens its page, or shows its result below the form. */
function FormOfRun({ workspace, runnable, args: begun }: RunTabProps & { args: Args }) {
  const { kind, path, schema } = runnable;
  const navigate = useNavigate();
  const { from = "" } = useSearch({ strict: false });
  const draft = useRunDraft(schema, kind, path, from);
  const [isRestored, setIsRestored] = useState(draft.values !== undefined);
  const values = useRef<Args>(draft.values ?? begun);
  const [fills, setFills] = useState(0);
  const [waitedId, setWaitedId] = useState<string>();
  const waits = useRef(false);
  const start = useMutation({
    mutationFn: (args: Args) => (kind === "flow" ? call.jobs.run.flows : call.jobs.run.scripts)({ workspace, path, body: args }),
    onSuccess: (id) => {
      draft.forget();
      setIsRestored(false);
      if (waits.current) setWaitedId(id);
      else void navigate({ to: "/w/$ws/runs/$id", params: { ws: workspace, id } });
    },
  });
  // The form begins again with other values.
  const refill = (args: Args) => {
    values.current = args;
    draft.forget();
    setIsRestored(false);
    setFills((count) => count + 1);
  };
  return (
    <Stack gap="md" className="run-tab">
      <Group>
        <EarlierArguments workspace={workspace} runnable={runnable} present={values} onChosen={refill} />
        {isRestored && <DraftNote onDiscard={() => refill(begun)} />}
      </Group>
      <RunForm
        key={fills}
        schema={schema}
        values={values}
        typed={fills === 0 ? draft.text : undefined}
        onEdit={draft.keep}
        isSending={start.isPending}
        error={start.error}
        onSubmit={(args) => start.mutate(args)}
      >
        <Group gap="xs">
          <Button
            type="submit"
            loading={start.isPending}
            onClick={() => {
              waits.current = false;
            }}
          >
            {runnableText.run}
          </Button>
          <Button
            type="submit"
            variant="default"
            disabled={start.isPending}
            onClick={() => {
              waits.current = true;
            }}
          >
            {runnableText.runAndWait}
          </Button>
        </Group>
      </RunForm>
      {waitedId !== undefined && <WaitedRun key={waitedId} workspace={workspace} id={waitedId} />}
    </Stack>
  );
}
