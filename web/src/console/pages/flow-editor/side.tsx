import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import type { FlowValue, Module } from "./document/flow-document.ts";
import { findStep, replaceStep } from "./document/lists.ts";
import { readFlow, writeYaml } from "./document/yaml.ts";
import { PartYaml } from "./part-yaml.tsx";
import type { FlowEditor } from "./use-flow-editor.ts";

interface SideProps {
  editor: FlowEditor;
  readOnly: boolean;
}

/** The panel beside the flow: the open step, or the settings of the flow. */
export function Side({ editor, readOnly }: SideProps) {
  const { opened, value } = editor;
  const module = opened === undefined ? undefined : findStep(value, opened)?.module;
  return module ? (
    <StepSide key={module.id} editor={editor} readOnly={readOnly} module={module} />
  ) : (
    <SettingsSide editor={editor} readOnly={readOnly} />
  );
}

function StepSide({ editor, readOnly, module }: SideProps & { module: Module }) {
  const { id } = module;
  const change = (next: Module, field?: string) => editor.changeValue((value) => replaceStep(value, id, () => next), field);
  const apply = (part: unknown): string | undefined => {
    if (!isJsonObject(part)) return problemOf(part);
    const next = { ...part, id } as Module;
    const problem = problemOfValue(replaceStep(editor.value, id, () => next));
    if (problem === undefined) change(next);
    return problem;
  };
  return (
    <section className="flow-side-part" aria-label={text.step(id)}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {text.step(id)}
          </Title>
          <Button size="compact-xs" variant="default" onClick={() => editor.open(undefined)}>
            {text.close}
          </Button>
        </Group>
        <TextInput
          size="xs"
          label={text.summary}
          readOnly={readOnly}
          value={module.summary ?? ""}
          onChange={({ target }) => change({ ...module, summary: target.value }, `${id} summary`)}
        />
        <PartYaml label={text.stepYaml} part={module} readOnly={readOnly} onApply={apply} />
      </Stack>
    </section>
  );
}

function SettingsSide({ editor, readOnly }: SideProps) {
  const { document } = editor;
  const { value, summary, ...others } = document;
  const { modules, failure_module, preprocessor_module, ...settings } = value;
  const apply = (part: unknown): string | undefined => {
    if (!isJsonObject(part) || !isJsonObject(part["value"])) return problemOf(part);
    const steps = { modules, ...(failure_module ? { failure_module } : {}), ...(preprocessor_module ? { preprocessor_module } : {}) };
    const next = { ...part, summary, value: { ...part["value"], ...steps } };
    editor.change(() => next);
    return undefined;
  };
  return (
    <section className="flow-side-part" aria-label={text.settings}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {text.settings}
        </Title>
        <TextInput
          size="xs"
          label={text.summary}
          readOnly={readOnly}
          maxLength={1000}
          value={summary}
          onChange={({ target }) => editor.change((current) => ({ ...current, summary: target.value }), "summary")}
        />
        <PartYaml label={text.settingsYaml} part={{ ...others, value: settings }} readOnly={readOnly} onApply={apply} />
      </Stack>
    </section>
  );
}

const problemOfValue = (value: FlowValue): string | undefined => problemOf({ value });

function problemOf(document: unknown): string | undefined {
  const read = readFlow(writeYaml(document));
  return "problem" in read ? read.problem.reason : undefined;
}
