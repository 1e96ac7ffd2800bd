import { Button, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import type { Search } from "../../../data/address.ts";
import { runText } from "../../../messages/run.ts";
import { detailsText } from "../../../messages/versions.ts";
import { Drawing } from "../../run/steps/drawing.tsx";
import { LazyCode } from "../lazy-code.tsx";
import type { Flow } from "../use-runnable.ts";
import { findStep } from "./find-step.ts";
import { FlowSteps } from "./flow-steps.tsx";

const text = runText.steps;

/** The steps of a flow as a list or a graph, next to the step that is selected in the address. */
export function FlowPart({ workspace, flow }: { workspace: string; flow: Flow }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const view = search["view"] === "graph" ? "graph" : "list";
  const { preprocessor_module: first, modules, failure_module: handler } = flow.value;
  const steps = [...(first ? [first] : []), ...modules];
  const selected = findStep([...steps, ...(handler ? [handler] : [])], search["step"]);
  const shown = { workspace, selected: selected?.id, onSelect: (step: string) => change({ step }) };
  const Steps = view === "graph" ? Drawing : FlowSteps;
  return (
    <div className="steps">
      <Stack gap="xs">
        <SegmentedControl
          className="steps-view"
          size="xs"
          aria-label={text.views}
          value={view}
          onChange={(next) => change({ view: next === "graph" ? next : undefined })}
          data={[
            { value: "list", label: text.list },
            { value: "graph", label: text.graph },
          ]}
        />
        <Steps modules={steps} {...shown} />
        {handler && (
          <section aria-label={detailsText.failureHandler}>
            <Text size="sm" c="dimmed">
              {detailsText.failureHandler}
            </Text>
            <FlowSteps modules={[handler]} {...shown} />
          </section>
        )}
      </Stack>
      {selected && <StepSource step={selected} onClose={() => change({ step: undefined })} />}
    </div>
  );
}

/** The code of a step, and its definition without it. */
function StepSource({ step, onClose }: { step: FlowModule; onClose: () => void }) {
  const { id, value } = step;
  const code = value.type === "rawscript" ? value : undefined;
  const definition = code ? { ...step, value: { ...code, content: undefined } } : step;
  return (
    <section className="step-detail" aria-label={text.selected(id)}>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h6">
          {text.selected(id)}
        </Title>
        <Button size="xs" variant="default" onClick={onClose}>
          {text.close}
        </Button>
      </Group>
      <Stack key={id} gap="xs">
        {code && <LazyCode label={detailsText.codeOf(id)} code={code.content} language={code.language} />}
        <LazyCode label={detailsText.definitionOf(id)} code={JSON.stringify(definition, null, 2)} language="json" />
      </Stack>
    </section>
  );
}
