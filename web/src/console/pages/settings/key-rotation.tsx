import { Button, Group, Stack, Text } from "@mantine/core";
import { Ago } from "../../../shared/time/ago.tsx";
import { Failed } from "../../frame/panel.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import type { useKeyRotation } from "./use-key-rotation.ts";

const text = workspaceSettingsText.key;

/** The progress of a key rotation that has not ended, which any admin can continue. */
export function KeyRotation({ rotation: { state, proceed, isProceeding, error } }: { rotation: ReturnType<typeof useKeyRotation> }) {
  if (state.error) return <Failed error={state.error} onRetry={() => void state.refetch()} />;
  const rotation = state.data;
  if (!rotation || rotation.state === "none") return null;
  const isWaiting = rotation.state === "interrupted" && !isProceeding;
  const { done, total, started_by: by, started_at: at } = rotation;
  return (
    <section aria-label={text.rotation}>
      <Stack gap="xs">
        <Text role="status">{isWaiting ? text.interrupted : text.running}</Text>
        <Group gap="sm">
          <progress aria-label={text.rotation} value={done} max={Math.max(1, total)} />
          <Text size="sm">{text.progress(done, total)}</Text>
        </Group>
        {by && at && (
          <Text size="sm" c="dimmed">
            {text.startedBy(by)} <Ago at={at} />
          </Text>
        )}
        {error && <Failed error={error} />}
        {isWaiting && (
          <Group>
            <Button size="xs" color="blue.8" onClick={proceed}>
              {text.continue}
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}
