import { Button, Group, Text } from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import { Note } from "../../../shared/note.tsx";
import { Loading } from "../../frame/panel.tsx";
import { flowEditorText as text } from "../../messages/flow-editor.ts";
import { storedText } from "../../messages/objects/stored.ts";
import type { FlowDocument } from "./document/flow-document.ts";
import { writeYaml } from "./document/yaml.ts";

const DiffView = lazy(() => import("../../parts/code/diff-view.tsx"));

interface ConflictProps {
  mine: FlowDocument;
  theirs: FlowDocument;
  onUseMine: () => void;
  onUseTheirs: () => void;
}

/** Shows the flow of another person next to the edited one, and asks which of both counts. */
export function Conflict({ mine, theirs, onUseMine, onUseTheirs }: ConflictProps) {
  const before = useMemo(() => ({ label: text.conflictTheirs, text: writeYaml(theirs) }), [theirs]);
  const after = useMemo(() => ({ label: text.conflictMine, text: writeYaml(mine) }), [mine]);
  return (
    <Note tone="bad" focus>
      <Text fw={600}>{storedText.conflict.title}</Text>
      <Text>{storedText.conflict.why}</Text>
      <Suspense fallback={<Loading />}>
        <DiffView before={before} after={after} language="yaml" />
      </Suspense>
      <Group mt="xs">
        <Button size="xs" color="blue.8" onClick={onUseMine}>
          {storedText.conflict.useMine}
        </Button>
        <Button size="xs" variant="default" onClick={onUseTheirs}>
          {storedText.conflict.useTheirs}
        </Button>
      </Group>
    </Note>
  );
}
