import "./step.css";
import { Stack, Textarea, TextInput, Title } from "@mantine/core";
import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { stepText as text } from "../../../messages/editor/step.ts";
import { JsonField } from "../../../parts/json-field/json-field.tsx";
import type { FlowDocument, FlowValue } from "../document/flow-document.ts";
import { listIds } from "../document/lists.ts";
import type { FlowSettingsProps } from "../step-props.ts";
import { StepContextProvider } from "./context.ts";
import { flowSettings, ON_CANVAS, otherFields, withOtherFields } from "./fields/fields.ts";
import { Options } from "./fields/options.tsx";

const SchemaEditor = loadOnDemand(() => import("../../../parts/schema-editor/schema-editor.tsx"));

const SHOWN = [...ON_CANVAS, ...Object.keys(flowSettings)];

/** The settings of a flow: its words, its inputs, and the options of each run. */
export default function FlowSettings({ workspace, flowKey, document, onChange, readOnly }: FlowSettingsProps) {
  const { value, schema, summary, description } = document;
  const settings = Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(flowSettings, name)));
  const others = otherFields(value, SHOWN);
  const steps = Object.fromEntries(Object.entries(value).filter(([name]) => ON_CANVAS.includes(name)));
  const change = (changes: Partial<FlowDocument>) => onChange({ ...document, ...changes });
  return (
    <StepContextProvider
      value={{
        workspace,
        key: flowKey,
        id: "",
        before: listIds(value.modules),
        loops: 0,
        afterApproval: false,
        inputNames: isJsonObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [],
        environment: value["flow_env"],
        path: "",
        lastJob: undefined,
        topOf: (id) => id,
      }}
    >
      <fieldset className="step-panel" disabled={readOnly} aria-label={text.flowSettings}>
        <Stack gap="lg">
          <TextInput label={text.summary} maxLength={1000} value={summary} onChange={({ target }) => change({ summary: target.value })} />
          <Textarea
            label={text.description}
            autosize
            minRows={2}
            maxRows={8}
            value={description ?? ""}
            onChange={({ target }) => change({ description: target.value })}
          />
          <SchemaEditor label={text.flowSchema} schema={schema ?? {}} onChange={(next) => change({ schema: next })} />
          <Stack gap="sm" component="section" aria-label={text.options}>
            <Title order={3} size="h6">
              {text.options}
            </Title>
            <Options
              around="flow"
              options={flowSettings}
              values={settings}
              onChange={(changed) => change({ value: { ...steps, ...others, ...changed } as FlowValue })}
            />
          </Stack>
          {Object.keys(others).length > 0 && (
            <JsonField
              label={text.otherFields}
              help={text.otherFieldsHelp}
              isObject
              value={others}
              onChange={(changed) => change({ value: withOtherFields(value, SHOWN, changed as typeof others) as FlowValue })}
            />
          )}
        </Stack>
      </fieldset>
    </StepContextProvider>
  );
}
