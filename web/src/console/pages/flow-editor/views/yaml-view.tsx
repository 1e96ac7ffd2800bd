import { Button, Group, Text } from "@mantine/core";
import { useMemo, useRef } from "react";
import { Note } from "../../../../shared/note.tsx";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import type { CodeEditorHandle } from "../../../parts/code/code-editor.tsx";
import { writeYaml } from "../document/yaml.ts";
import type { FlowEditor } from "../use-flow-editor.ts";

const CodeEditor = loadOnDemand(() => import("../../../parts/code/code-editor.tsx"));

/** The whole flow as text. A text that is no flow stays, with the place of its problem. */
export function YamlView({ editor, readOnly }: { editor: FlowEditor; readOnly: boolean }) {
  const { document: edited, broken, yaml } = editor;
  const code = useRef<CodeEditorHandle>(null);
  const written = useMemo(() => (yaml?.document === edited ? yaml.text : writeYaml(edited)), [yaml, edited]);
  const problems = useMemo(() => {
    if (!broken) return [];
    const { reason, line, column } = broken.problem;
    return [{ at: { line, column }, severity: "error" as const, message: reason }];
  }, [broken]);
  return (
    <>
      {broken && (
        <Note tone="bad">
          <Text>{text.yamlProblem(broken.problem.line, broken.problem.column, broken.problem.reason)}</Text>
          <Text size="sm">{text.yamlBroken}</Text>
          <Group mt="xs" gap="xs">
            <Button size="xs" variant="default" onClick={() => code.current?.goTo(broken.problem)}>
              {text.toYaml}
            </Button>
            <Button size="xs" variant="default" onClick={editor.discardYaml}>
              {text.discardYaml}
            </Button>
          </Group>
        </Note>
      )}
      <Text size="sm" c="dimmed">
        {text.yamlHelp}
      </Text>
      <CodeEditor
        ref={code}
        label={text.yaml}
        language="yaml"
        readOnly={readOnly}
        value={broken?.text ?? written}
        problems={problems}
        onChange={editor.setYaml}
      />
    </>
  );
}
