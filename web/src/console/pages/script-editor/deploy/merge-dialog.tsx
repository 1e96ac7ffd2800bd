import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Loading } from "../../../frame/panel.tsx";
import { deployText as text } from "../../../messages/editor/script.ts";
import { listConflicts, mergeTexts, type Versions } from "../../../parts/code/merge-texts.ts";

const MergeEditor = lazy(() => import("../../../parts/code/merge-editor.tsx"));

interface MergeDialogProps {
  versions: Versions;
  language: string;
  onMerged: (content: string) => void;
  onClose: () => void;
}

/** Shows the newer version of another person, and merges it with this text. */
export function MergeDialog({ versions, language, onMerged, onClose }: MergeDialogProps) {
  const [merged, setMerged] = useState(() => mergeTexts(versions));
  const isDecided = listConflicts(merged).length === 0;
  return (
    <Modal opened onClose={onClose} title={text.newerTitle} size="90%" closeOnEscape={false}>
      <Stack>
        <Text>{text.newerWhy}</Text>
        <Suspense fallback={<Loading label={text.loadingMerge} />}>
          <MergeEditor versions={versions} value={merged} onChange={setMerged} language={language} />
        </Suspense>
        <Group justify="flex-end">
          {!isDecided && <Text size="sm">{text.mergeFirst}</Text>}
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button disabled={!isDecided} onClick={() => onMerged(merged)}>
            {text.merge}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
