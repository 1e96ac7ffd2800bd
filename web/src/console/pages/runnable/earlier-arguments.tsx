import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { Failed, Panel } from "../../frame/panel.tsx";
import { stateText } from "../../messages/frame.ts";
import { runnableText } from "../../messages/runnable.ts";
import type { Runnable } from "./use-runnable.ts";

type Input = Reply<"inputs.list">[number];

interface EarlierProps {
  workspace: string;
  runnable: Runnable;
  onChosen: (args: Record<string, unknown>) => void;
}

const MOST_SHOWN = 20;

/** Offers saved inputs and the arguments of the last runs. */
export function EarlierArguments(props: EarlierProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        {runnableText.earlier}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={runnableText.earlier}>
        <Choices
          {...props}
          onChosen={(args) => {
            setIsOpen(false);
            props.onChosen(args);
          }}
        />
      </Modal>
    </>
  );
}

function Choices({ workspace, runnable: { kind, path }, onChosen }: EarlierProps) {
  const query = { runnable_id: path, runnable_type: kind === "flow" ? "FlowPath" : "ScriptPath", per_page: MOST_SHOWN } as const;
  const saved = useQuery({
    queryKey: [workspace, "saved inputs", kind, path],
    queryFn: ({ signal }) => call.inputs.list({ workspace, query, signal }),
  });
  const history = useQuery({
    queryKey: [workspace, "earlier inputs", kind, path],
    queryFn: ({ signal }) => call.inputs.history({ workspace, query, signal }),
  });
  const load = useMutation({
    mutationFn: ({ id, isSaved }: { id: string; isSaved: boolean }) =>
      call.inputs.getArgs({ workspace, id, query: { input: isSaved || undefined } }),
    onSuccess: onChosen,
  });
  const listOf = (inputs: readonly Input[], isSaved: boolean) => (
    <Stack component="ul" gap="xs" className="plain-list">
      {inputs.map((input) => (
        <li key={input.id}>
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <Text size="sm">
              {isSaved ? input.name : input.success !== undefined && stateText[input.success ? "succeeded" : "failed"]} {input.created_by}{" "}
              <Ago at={input.created_at} />
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={runnableText.inputName(isSaved ? input.name : input.id.slice(0, 8))}
              loading={load.isPending && load.variables.id === input.id}
              onClick={() => load.mutate({ id: input.id, isSaved })}
            >
              {runnableText.use}
            </Button>
          </Group>
        </li>
      ))}
    </Stack>
  );
  return (
    <Stack gap="md">
      {load.error && <Failed error={load.error} />}
      <section>
        <Title order={3} size="h6">
          {runnableText.saved}
        </Title>
        <Panel query={saved} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{runnableText.noSaved}</Text>}>
          {(found) => listOf(found, true)}
        </Panel>
      </section>
      <section>
        <Title order={3} size="h6">
          {runnableText.history}
        </Title>
        <Panel query={history} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{runnableText.noHistory}</Text>}>
          {(found) => listOf(found, false)}
        </Panel>
      </section>
    </Stack>
  );
}
