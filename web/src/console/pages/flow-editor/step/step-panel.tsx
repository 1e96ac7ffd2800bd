import "./step.css";
import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import { call } from "../../../data/api.ts";
import { stepText as text } from "../../../messages/editor/step.ts";
import type { Module } from "../document/flow-document.ts";
import type { StepPanelProps } from "../step-props.ts";
import { StepContextProvider } from "./context.ts";
import { moduleOptions, otherFields, withOtherFields } from "./fields/fields.ts";
import { JsonField } from "./fields/json-field.tsx";
import { Options } from "./fields/options.tsx";
import { Kind } from "./kinds/kind.tsx";
import { findSurroundings, listIds } from "./test/preview-flow.ts";
import { TestStep } from "./test/test-step.tsx";

const SHOWN = ["id", "value", "summary", ...Object.keys(moduleOptions)];
const ASIDE = ["failure", "preprocessor"];

/** The last run of a flow, if there is one. Its results fill the picker of values. */
function useLastRun(workspace: string, path: string) {
  return useQuery({
    queryKey: [workspace, "last run", path],
    queryFn: async ({ signal }) => {
      const [job] = await call.jobs.list({
        workspace,
        query: { script_path_exact: path, job_kinds: "flow,flowpreview", per_page: 1 },
        signal,
      });
      return job?.id ?? null;
    },
    enabled: path !== "",
  });
}

/** The panel of the selected step: what it runs, its inputs, its options, and tests. */
export default function StepPanel(props: StepPanelProps) {
  const { workspace, path, flow, schema, module, before, onChange, readOnly, lastJob } = props;
  const lastRun = useLastRun(workspace, path);
  const surroundings = findSurroundings(flow.modules, module.id) ?? { loops: 0, afterApproval: false };
  const others = otherFields(module, SHOWN);
  const { id, value, summary, ...options } = module;
  const present = Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(moduleOptions, name)));
  return (
    <StepContextProvider
      value={{
        workspace,
        key: `${workspace} ${path} ${id}`,
        id,
        before,
        ...surroundings,
        inputNames: isJsonObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [],
        lastRun: lastJob ?? lastRun.data ?? undefined,
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
            {!ASIDE.includes(id) && <StepId key={id} {...props} />}
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

const STEP_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** The id of the step. It changes at once with all expressions that name it, and not while it is typed. */
function StepId({ flow, module, onRename }: StepPanelProps) {
  const [typed, setTyped] = useState(module.id);
  const isUsed = typed !== module.id && [...listIds(flow.modules), ...ASIDE].includes(typed);
  const problem = STEP_ID.test(typed) ? isUsed && text.idUsed : text.idBroken;
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
          error={problem}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" variant="default" disabled={Boolean(problem) || typed === module.id}>
          {text.rename}
        </Button>
      </Group>
    </form>
  );
}
