import { Button, Group, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { Note } from "../../../shared/note.tsx";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { listConflicts, mergeTexts } from "../../parts/code/merge-texts.ts";
import type { FlowDocument } from "./document/flow-document.ts";
import { readFlow, writeYaml } from "./document/yaml.ts";

const MergeEditor = loadOnDemand(() => import("../../parts/code/merge-editor.tsx"));

interface ConflictProps {
  base: FlowDocument | undefined;
  mine: FlowDocument;
  theirs: FlowDocument;
  onMerge: (merged: FlowDocument) => void;
  onUseTheirs: () => void;
}

/** Shows a newer version of another person next to the edited flow, with a merged text that can be deployed. */
export function Conflict({ base, mine, theirs, onMerge, onUseTheirs }: ConflictProps) {
  const versions = useMemo(
    () => ({ ...(base ? { base: writeYaml(base) } : {}), mine: writeYaml(mine), theirs: writeYaml(theirs) }),
    [base, mine, theirs],
  );
  const [merged, setMerged] = useState(() => mergeTexts(versions));
  const isDecided = listConflicts(merged).length === 0;
  const read = isDecided ? readFlow(merged) : undefined;
  const problem = read && "problem" in read ? read.problem : undefined;
  return (
    <Note tone="bad" focus>
      <Text fw={600}>{storedText.conflict.title}</Text>
      <MergeEditor versions={versions} value={merged} onChange={setMerged} language="yaml" />
      {problem && <Text role="status">{text.yamlProblem(problem.line, problem.column, problem.reason)}</Text>}
      <Group mt="xs">
        <Button
          size="xs"
          color="blue.8"
          disabled={!read || "problem" in read}
          onClick={() => read && "document" in read && onMerge(read.document)}
        >
          {text.deployMerged}
        </Button>
        <Button size="xs" variant="default" onClick={onUseTheirs}>
          {storedText.conflict.useTheirs}
        </Button>
      </Group>
    </Note>
  );
}
