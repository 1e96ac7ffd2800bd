import { Button, Group, Text, Textarea } from "@mantine/core";
import { useMemo, useRef } from "react";
import { Note } from "../../../shared/note.tsx";
import { flowEditorText as text } from "../../messages/flow-editor.ts";
import { writeYaml } from "./document/yaml.ts";
import type { FlowEditor } from "./use-flow-editor.ts";

/** The whole flow as text. A text that is no flow stays, with the place of its problem. */
export function YamlView({ editor, readOnly }: { editor: FlowEditor; readOnly: boolean }) {
  const { document: edited, broken, yaml } = editor;
  const field = useRef<HTMLTextAreaElement>(null);
  const written = useMemo(() => (yaml?.document === edited ? yaml.text : writeYaml(edited)), [yaml, edited]);
  const shown = broken?.text ?? written;
  const showProblem = () => {
    if (!broken || !field.current) return;
    const { line, column } = broken.problem;
    const before = broken.text.split("\n").slice(0, line - 1);
    const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    field.current.focus();
    field.current.setSelectionRange(offset, offset);
  };
  return (
    <>
      {broken && (
        <Note tone="bad">
          <Text>{text.yamlProblem(broken.problem.line, broken.problem.column, broken.problem.reason)}</Text>
          <Text size="sm">{text.yamlBroken}</Text>
          <Group mt="xs" gap="xs">
            <Button size="xs" variant="default" onClick={showProblem}>
              {text.toYaml}
            </Button>
            <Button size="xs" variant="default" onClick={editor.discardYaml}>
              {text.discardYaml}
            </Button>
          </Group>
        </Note>
      )}
      <Textarea
        ref={field}
        label={text.yaml}
        description={text.yamlHelp}
        readOnly={readOnly}
        rows={28}
        spellCheck={false}
        wrap="off"
        classNames={{ input: "code-input" }}
        value={shown}
        onChange={({ target }) => editor.setYaml(target.value)}
      />
    </>
  );
}
