import { Button, Fieldset, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { JsonField } from "../../../../parts/json-field/json-field.tsx";
import type { ModuleValue } from "../../document/flow-document.ts";
import { otherFields, withField, withOtherFields } from "../fields/fields.ts";
import { ExpressionField } from "../inputs/expression-field.tsx";

type Branch = Readonly<Record<string, unknown>>;

const SHOWN = ["summary", "expr", "skip_failure", "modules"];

interface BranchesProps {
  value: ModuleValue;
  onChange: (value: ModuleValue) => void;
}

/** The branches of a step: their conditions, names and order. Their steps are on the canvas. */
export function Branches({ value, onChange }: BranchesProps) {
  const isOne = value.type === "branchone";
  const branches: readonly Branch[] = Array.isArray(value["branches"]) ? value["branches"].filter(isJsonObject) : [];
  const change = (next: readonly Branch[]) => onChange({ ...value, branches: next });
  const add = () => change([...branches, { summary: "", ...(isOne ? { expr: "false" } : { skip_failure: false }), modules: [] }]);
  const move = (index: number, by: number) => {
    const moved = [...branches];
    moved.splice(index + by, 0, ...moved.splice(index, 1));
    change(moved);
  };
  return (
    <Stack gap="sm" component="section" aria-label={text.branches}>
      <Title order={3} size="h6">
        {text.branches}
      </Title>
      {branches.map((branch, index) => {
        const name = text.branch(index + 1, "");
        const set = (field: string, next: unknown) => change(branches.with(index, withField(branch, field, next)));
        const others = otherFields(branch, SHOWN);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a branch has no id
          <Fieldset key={index} legend={name} className="step-group">
            <Stack gap="sm">
              <TextInput
                label={text.summary}
                value={typeof branch["summary"] === "string" ? branch["summary"] : ""}
                onChange={({ target }) => set("summary", target.value)}
              />
              {isOne ? (
                <ExpressionField label={text.condition} value={String(branch["expr"] ?? "")} onChange={(expr) => set("expr", expr)} />
              ) : (
                <Switch
                  label={text.skipFailure}
                  checked={branch["skip_failure"] === true}
                  onChange={({ target }) => set("skip_failure", target.checked)}
                />
              )}
              {Object.keys(others).length > 0 && (
                <JsonField
                  label={text.otherFields}
                  isObject
                  value={others}
                  onChange={(next) => change(branches.with(index, withOtherFields(branch, SHOWN, next as Branch)))}
                />
              )}
              <Text size="sm">{text.steps(Array.isArray(branch["modules"]) ? branch["modules"].length : 0)}</Text>
              <Group gap="xs">
                <Button size="compact-xs" variant="default" disabled={index === 0} onClick={() => move(index, -1)}>
                  {text.up(name)}
                </Button>
                <Button size="compact-xs" variant="default" disabled={index === branches.length - 1} onClick={() => move(index, 1)}>
                  {text.down(name)}
                </Button>
                <Button size="compact-xs" variant="default" onClick={() => change(branches.toSpliced(index, 1))}>
                  {text.removeOption(name)}
                </Button>
              </Group>
            </Stack>
          </Fieldset>
        );
      })}
      {isOne && <Text size="sm">{text.defaultBranch}</Text>}
      <Group>
        <Button size="xs" variant="default" onClick={add}>
          {text.addBranch}
        </Button>
      </Group>
    </Stack>
  );
}
