import { Button, Group, Stack, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { stepsBefore } from "./document/edit.ts";
import type { FlowValue, Module } from "./document/flow-document.ts";
import { findStep, replaceStep } from "./document/lists.ts";
import { readFlow, writeYaml } from "./document/yaml.ts";
import { PartYaml } from "./part-yaml.tsx";
import { changedField } from "./step/changed-field.ts";
import type { StartedTest } from "./test/follow-test.tsx";
import { shownIterations, type TestedSteps } from "./test/tested-steps.ts";
import type { FlowEditor } from "./use-flow-editor.ts";

/** The name under which changes of one text are one step back. */
const fieldOf = (id: string, field: string | undefined) => (field === undefined ? undefined : `${id}${field}`);

const StepPanel = loadOnDemand(() => import("./step/step-panel.tsx"));
const FlowSettings = loadOnDemand(() => import("./step/flow-settings.tsx"));

interface SideProps {
  workspace: string;
  /** The path of the flow. Empty: a new flow. */
  path: string;
  /** Identifies the flow while the page is open. */
  flowKey: string;
  /** The run of the last test of the flow. */
  lastJob: string | undefined;
  tested: TestedSteps;
  onTest: (test: StartedTest) => void;
  editor: FlowEditor;
  readOnly: boolean;
}

/** The panel beside the flow: the open step, or the settings of the flow. */
export function Side({ editor, readOnly, ...page }: SideProps) {
  const { opened, value } = editor;
  const module = opened === undefined ? undefined : findStep(value, opened)?.module;
  return module ? (
    <StepSide key={module.id} editor={editor} readOnly={readOnly} module={module} {...page} />
  ) : (
    <SettingsSide editor={editor} readOnly={readOnly} {...page} />
  );
}

function StepSide({ workspace, path, flowKey, lastJob, tested, onTest, editor, readOnly, module }: SideProps & { module: Module }) {
  const { id } = module;
  const section = useRef<HTMLElement>(null);
  // In a narrow window the panel is below the steps.
  useEffect(() => {
    if (matchMedia("(max-width: 68rem)").matches) section.current?.scrollIntoView({ block: "start" });
  }, []);
  const change = (next: Module, field?: string) => editor.changeValue((value) => replaceStep(value, id, () => next), field);
  const apply = (part: unknown): string | undefined => {
    if (!isJsonObject(part)) return problemOf(part);
    const next = { ...part, id } as Module;
    const problem = problemOfValue(replaceStep(editor.value, id, () => next));
    if (problem === undefined) change(next);
    return problem;
  };
  return (
    <section className="flow-side-part" aria-label={text.step(id)} ref={section}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {text.step(id)}
          </Title>
          <Button size="compact-xs" variant="default" onClick={() => editor.open(undefined)}>
            {text.close}
          </Button>
        </Group>
        <StepPanel
          workspace={workspace}
          path={path}
          flow={editor.value}
          schema={editor.document.schema}
          module={module}
          before={stepsBefore(editor.value, id)}
          readOnly={readOnly}
          flowKey={flowKey}
          lastJob={lastJob}
          tested={tested.get(id)}
          iterations={shownIterations(tested)}
          onTest={onTest}
          onChange={(next) => change(next, fieldOf(id, changedField(module, next)))}
          onRename={(next) => editor.rename(id, next)}
        />
        <PartYaml label={text.stepYaml} part={module} readOnly={readOnly} onApply={apply} />
      </Stack>
    </section>
  );
}

function SettingsSide({ workspace, path, flowKey, editor, readOnly }: SideProps) {
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
        <FlowSettings
          workspace={workspace}
          path={path}
          flowKey={flowKey}
          document={document}
          readOnly={readOnly}
          onChange={(next) => editor.change(() => next, fieldOf("", changedField(document, next)))}
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
