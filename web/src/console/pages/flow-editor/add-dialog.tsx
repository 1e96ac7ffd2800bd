import { Modal, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { call } from "../../data/api.ts";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import type { Module } from "./document/flow-document.ts";
import { approvalStep, type Construct, codeStep, constructStep, newStep, runnableStep, type StepLanguage } from "./document/new-step.ts";

interface AddDialogProps {
  workspace: string;
  /** Whether the step is the preprocessor or the failure handler, which only run code. */
  onlyCode: boolean;
  onChoose: (module: Module) => void;
  onClose: () => void;
}

interface Choice {
  key: string;
  label: string;
  detail?: string;
  make: () => Module;
}

const TYPED_MS = 200;
const MOST_FOUND = 30;
const codeChoices = (Object.entries(text.languages) as [StepLanguage, string][]).map(
  ([language, name]): Choice => ({ key: language, label: text.codeIn(name), make: () => newStep(codeStep(language)) }),
);
const otherChoices: Choice[] = [
  ...(Object.entries(text.kinds) as [Construct, string][]).map(
    ([type, label]): Choice => ({ key: type, label, make: () => newStep(constructStep(type)) }),
  ),
  {
    key: "approval",
    label: text.approval,
    make: () => {
      const { value, suspend } = approvalStep();
      return newStep(value, { suspend });
    },
  },
];

/** Chooses the step to add: new code, a construct, or an existing script or flow. */
export function AddDialog({ workspace, onlyCode, onChoose, onClose }: AddDialogProps) {
  const [typed, setTyped] = useState("");
  const [sought] = useDebouncedValue(typed.trim(), TYPED_MS);
  const q = sought.length < 2 ? undefined : sought;
  const found = useQuery({
    queryKey: [workspace, "runnables of a step", q, onlyCode],
    queryFn: ({ signal }) =>
      call.search.list({ workspace, query: { q, kinds: onlyCode ? "script" : "script,flow", per_page: MOST_FOUND }, signal }),
  });
  const matches = ({ label }: Choice) => label.toLowerCase().includes(typed.trim().toLowerCase());
  const existing = (found.data ?? []).flatMap(({ kind, path, summary }): Choice[] =>
    kind === "script" || kind === "flow"
      ? [{ key: `${kind} ${path}`, label: `${text[kind]} ${path}`, detail: summary, make: () => newStep(runnableStep(kind, path)) }]
      : [],
  );
  const choices = [...[...codeChoices, ...(onlyCode ? [] : otherChoices)].filter(matches), ...existing];
  const choose = ({ make }: Choice) => {
    onClose();
    onChoose(make());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, .flow-choice")];
    stops[stops.indexOf(document.activeElement as HTMLElement) + by]?.focus();
  };
  return (
    <Modal opened onClose={onClose} title={text.addTitle} size="md">
      <Stack gap="xs" onKeyDown={onKeyDown}>
        <TextInput
          data-autofocus
          label={text.search}
          description={text.searchHelp}
          value={typed}
          error={found.error?.message}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            const [first] = choices;
            if (event.key !== "Enter" || !first) return;
            event.preventDefault();
            choose(first);
          }}
        />
        <div className="flow-choices">
          {choices.map((choice) => (
            <UnstyledButton key={choice.key} className="flow-choice" onClick={() => choose(choice)}>
              {choice.label}
              {choice.detail && (
                <Text span size="xs" c="dimmed">
                  {" "}
                  {choice.detail}
                </Text>
              )}
            </UnstyledButton>
          ))}
        </div>
        <Text size="sm" c="dimmed" role="status">
          {choices.length === 0 && !found.isFetching ? text.nothing : ""}
        </Text>
      </Stack>
    </Modal>
  );
}
