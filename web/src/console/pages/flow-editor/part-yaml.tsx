import { Button, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { readYaml, writeYaml } from "./document/yaml.ts";

interface PartYamlProps {
  label: string;
  part: unknown;
  readOnly: boolean;
  /** Takes the values over, or returns why it cannot. */
  onApply: (value: unknown) => string | undefined;
}

/** A part of the flow as text, for every field that has no input. It is written when it is opened: a loop can contain hundreds of steps. */
export function PartYaml(props: PartYamlProps) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details onToggle={() => setWasOpened(true)}>
      <summary>{props.label}</summary>
      {wasOpened && <PartText {...props} />}
    </details>
  );
}

function PartText({ label, part, readOnly, onApply }: PartYamlProps) {
  const written = writeYaml(part);
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const apply = () => {
    if (typed === undefined) return;
    const read = readYaml(typed);
    const refusal = "problem" in read ? text.yamlProblem(read.problem.line, read.problem.column, read.problem.reason) : onApply(read.value);
    setProblem(refusal);
    if (refusal === undefined) setTyped(undefined);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Textarea
        className="flow-part-yaml"
        label={label}
        error={problem}
        readOnly={readOnly}
        rows={14}
        spellCheck={false}
        classNames={{ input: "code-input" }}
        value={typed ?? written}
        onChange={({ target }) => setTyped(target.value)}
      />
      {!readOnly && (
        <Button size="xs" variant="default" disabled={typed === undefined} onClick={apply}>
          {text.apply}
        </Button>
      )}
    </Stack>
  );
}
