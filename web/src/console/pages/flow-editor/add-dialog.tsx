import { Modal, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { call } from "../../data/api.ts";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import type { Module } from "./document/flow-document.ts";
import {
  approvalStep,
  asideStep,
  type Construct,
  codeStep,
  constructStep,
  newStep,
  runnableStep,
  type StepLanguage,
  type StepRole,
} from "./document/new-step.ts";

interface AddDialogProps {
  workspace: string;
  /** The step is the preprocessor or the failure handler, which only run code. */
  role: StepRole | undefined;
  onChoose: (module: Module) => void;
  onClose: () => void;
}

interface Choice {
  key: string;
  group: keyof typeof text.groups;
  label: string;
  detail?: string;
  make: () => Module;
}

const TYPED_MS = 200;
const MOST_FOUND = 30;
/** The code of a step, or of the step aside that the role names. */
const codeChoices = (role: StepRole | undefined) =>
  (Object.entries(text.languages) as [StepLanguage, string][]).map(
    ([language, name]): Choice => ({
      key: language,
      group: "code",
      label: text.codeIn(name),
      make: () => newStep(role ? asideStep(role, language) : codeStep(language)),
    }),
  );
const otherChoices: Choice[] = [
  ...(Object.entries(text.kinds) as [Construct, string][]).map(
    ([type, label]): Choice => ({
      key: type,
      group: type === "consentgate" ? "people" : "control",
      label,
      detail: text.kindHelp[type],
      make: () => newStep(constructStep(type)),
    }),
  ),
  {
    key: "approval",
    group: "people",
    label: text.approval,
    detail: text.kindHelp.approval,
    make: () => {
      const { value, suspend } = approvalStep();
      return newStep(value, { suspend });
    },
  },
];

/** Chooses the step to add: new code, a construct, or an existing script or flow. */
export function AddDialog({ workspace, role, onChoose, onClose }: AddDialogProps) {
  const [typed, setTyped] = useState("");
  const [sought] = useDebouncedValue(typed.trim(), TYPED_MS);
  const q = sought.length < 2 ? undefined : sought;
  const found = useQuery({
    queryKey: [workspace, "runnables of a step", q, role],
    queryFn: ({ signal }) =>
      call.search.list({ workspace, query: { q, kinds: role ? "script" : "script,flow", per_page: MOST_FOUND }, signal }),
    // The choice that has the focus stays while another text is searched.
    placeholderData: keepPreviousData,
  });
  const matches = ({ label }: Choice) => label.toLowerCase().includes(typed.trim().toLowerCase());
  const existing = (found.data ?? []).flatMap(({ kind, path, summary }): Choice[] =>
    kind === "script" || kind === "flow"
      ? [
          {
            key: `${kind} ${path}`,
            group: "existing",
            label: `${text[kind]} ${path}`,
            detail: summary,
            make: () => newStep(runnableStep(kind, path)),
          },
        ]
      : [],
  );
  const choices = [...[...codeChoices(role), ...(role ? [] : otherChoices)].filter(matches), ...existing];
  const groups = [...new Set(choices.map(({ group }) => group))];
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
          {groups.map((group) => (
            <section key={group} aria-label={text.groups[group]}>
              <Text size="xs" c="dimmed" fw={600} className="flow-choice-group" aria-hidden>
                {text.groups[group]}
              </Text>
              {choices
                .filter((choice) => choice.group === group)
                .map((choice) => (
                  <UnstyledButton key={choice.key} className="flow-choice" onClick={() => choose(choice)}>
                    {choice.label}
                    {choice.detail && (
                      <Text span size="xs" c="dimmed" className="flow-choice-detail">
                        {" "}
                        {choice.detail}
                      </Text>
                    )}
                  </UnstyledButton>
                ))}
            </section>
          ))}
        </div>
        <Text size="sm" c="dimmed" role="status">
          {choices.length === 0 && !found.isFetching ? text.nothing : ""}
        </Text>
      </Stack>
    </Modal>
  );
}
