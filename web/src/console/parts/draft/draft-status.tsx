import { Button, Group, Text } from "@mantine/core";
import { Note } from "../../../shared/note.tsx";
import { draftText as text } from "../../messages/editor/script.ts";
import type { ServerDraft } from "./use-server-draft.ts";

/** Whether the draft of an editor is stored. */
export function DraftStatus<V>({ draft }: { draft: ServerDraft<V> }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {text.status[draft.status]}
    </Text>
  );
}

/** The choice between the draft of an editor and a newer one of the same person. */
export function NewerDraft<V>({ draft }: { draft: ServerDraft<V> }) {
  if (!draft.newer) return null;
  return (
    <Note tone="bad" focus>
      <Text fw={600}>{text.newerTitle}</Text>
      <Text>{text.newerWhy}</Text>
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={draft.keepMine}>
          {text.keepMine}
        </Button>
        <Button size="xs" variant="default" onClick={draft.takeNewer}>
          {text.takeNewer}
        </Button>
      </Group>
    </Note>
  );
}
