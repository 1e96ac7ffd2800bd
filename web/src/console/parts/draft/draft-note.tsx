import { Button, Group, Text } from "@mantine/core";
import { formText } from "../../messages/form.ts";

/** Shows that a form has a draft, with a button that discards it. */
export function DraftNote({ text = formText.restored, onDiscard }: { text?: string; onDiscard: () => void }) {
  return (
    <Group gap="xs" role="status">
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      <Button size="compact-xs" variant="default" onClick={onDiscard}>
        {formText.discard}
      </Button>
    </Group>
  );
}
