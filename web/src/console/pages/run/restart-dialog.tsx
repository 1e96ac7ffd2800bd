import { Button, Group, Modal, NativeSelect, NumberInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { defined } from "../../../../../contract/defined.ts";
import { call } from "../../data/api.ts";
import { Failed } from "../../frame/panel.tsx";
import { runText } from "../../messages/run.ts";
import { restartPoint } from "./restart-point.ts";
import type { RunJob } from "./use-run.ts";

const text = runText.restart;

interface RestartDialogProps {
  workspace: string;
  run: RunJob;
  /** The path of the step at which the dialog begins. Absent: the step that failed. */
  from?: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Restarts an ended flow from one of its steps, or from an iteration of a loop. */
export function RestartDialog({ workspace, run, from, isOpen, onClose }: RestartDialogProps) {
  const navigate = useNavigate();
  const modules = run.flow_status?.modules ?? [];
  const failed = modules.find(({ type }) => type === "Failure")?.id;
  const start = restartPoint(from ?? failed ?? modules[0]?.id ?? "");
  const [step, setStep] = useState(start.step);
  const [iteration, setIteration] = useState<string | number>(start.iteration ?? "");
  const module = modules.find(({ id }) => id === step);
  const isLoop = module !== undefined && "flow_jobs" in module && module.flow_jobs !== undefined;
  const restart = useMutation({
    mutationFn: () => {
      const number = isLoop && iteration !== "" ? Number(iteration) - 1 : undefined;
      return call.jobs.restart.flows({ workspace, id: run.id, body: { step_id: step, ...defined({ branch_or_iteration_n: number }) } });
    },
    onSuccess: (id) => {
      onClose();
      void navigate({ to: "/w/$ws/runs/$id", params: { ws: workspace, id } });
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={text.title}>
      <Stack>
        <Text>{text.why}</Text>
        <NativeSelect label={text.step} data={modules.map(({ id }) => id)} value={step} onChange={({ target }) => setStep(target.value)} />
        {isLoop && (
          <NumberInput label={text.iteration} description={text.iterationHelp} min={1} value={iteration} onChange={setIteration} />
        )}
        {restart.error && <Failed error={restart.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button loading={restart.isPending} onClick={() => restart.mutate()}>
            {text.restart}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
