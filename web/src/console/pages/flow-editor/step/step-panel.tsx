import "./step.css";
import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import { flowEditorText } from "../../../messages/editor/flow.ts";
import { stepText as text } from "../../../messages/editor/step.ts";
import { JsonField } from "../../../parts/json-field/json-field.tsx";
import { renameProblem } from "../document/edit.ts";
import type { Module } from "../document/flow-document.ts";
import { RESERVED } from "../document/fresh-id.ts";
import { stepsAround } from "../document/lists.ts";
import type { StepPanelProps } from "../step-props.ts";
import { Unfollowed } from "../unfollowed.tsx";
import { StepContextProvider } from "./context.ts";
import { moduleOptions, otherFields, withOtherFields } from "./fields/fields.ts";
import { Options } from "./fields/options.tsx";
import { Kind } from "./kinds/kind.tsx";
import { findSurroundings } from "./test/preview-flow.ts";
import { TestStep } from "./test/test-step.tsx";

const SHOWN = ["id", "value", "summary", ...Object.keys(moduleOptions)];

/** The panel of the selected step: what it runs, its inputs, its options, and tests. */
export default function StepPanel(props: StepPanelProps) {
  const { workspace, path, flowKey, flow, schema, module, before, onChange, readOnly, lastJob } = props;
  const surroundings = findSurroundings(flow, module.id) ?? { loops: 0, afterApproval: false };
  const others = otherFields(module, SHOWN);
  const { id, value, summary, ...options } = module;
  const present = Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(moduleOptions, name)));
  return (
    <StepContextProvider
      value={{
        workspace,
        key: `${flowKey} ${id}`,
        id,
        before,
        ...surroundings,
        inputNames: isJsonObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [],
        environment: flow["flow_env"],
        path,
        lastJob,
        topOf: (inner) => stepsAround(flow, inner).at(-1)?.id ?? inner,
      }}
    >
      <fieldset className="step-panel" disabled={readOnly} aria-label={text.panel(id)}>
        <Stack gap="lg">
          <Stack gap="sm">
            <TextInput
              label={text.summary}
              value={summary ?? ""}
              onChange={({ target }) => onChange({ ...module, summary: target.value })}
            />
            {!RESERVED.includes(id) && <StepId key={id} {...props} />}
          </Stack>
          <Kind
            workspace={workspace}
            path={path}
            value={value}
            readOnly={readOnly}
            onChange={(changed) => onChange({ ...module, value: changed })}
          />
          <Stack gap="sm" component="section" aria-label={text.options}>
            <Title order={3} size="h6">
              {text.options}
            </Title>
            <Options
              around="step"
              options={moduleOptions}
              values={present}
              onChange={(changed) =>
                onChange({ ...withOtherFields(module, ["id", "value", "summary"], { ...others, ...changed }) } as Module)
              }
            />
          </Stack>
          {Object.keys(others).length > 0 && (
            <JsonField
              label={text.otherFields}
              help={text.otherFieldsHelp}
              isObject
              value={others}
              onChange={(changed) => onChange(withOtherFields(module, SHOWN, changed as typeof others) as Module)}
            />
          )}
          <TestStep {...props} />
        </Stack>
      </fieldset>
    </StepContextProvider>
  );
}

/** The id of the step. It changes at once with all expressions that name it, and not while it is typed. */
function StepId({ flow, module, onRename }: StepPanelProps) {
  const [typed, setTyped] = useState(module.id);
  const problem = renameProblem(flow, module.id, typed);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem && typed !== module.id) onRename(typed);
      }}
    >
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          className="step-id"
          label={text.id}
          description={text.idHelp}
          error={problem && flowEditorText.idProblems[problem]}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" variant="default" disabled={problem !== undefined || typed === module.id}>
          {text.rename}
        </Button>
      </Group>
      {typed !== module.id && <Unfollowed flow={flow} id={module.id} />}
    </form>
  );
}
