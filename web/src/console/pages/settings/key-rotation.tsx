import { Button, Group, List, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { KeyRotationJson } from "../../../../../contract/routes/workspaces/key-rotation.ts";
import { Note } from "../../../shared/note.tsx";
import { Ago } from "../../../shared/time/ago.tsx";
import { Failed } from "../../frame/panel.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import type { useKeyRotation } from "./use-key-rotation.ts";

const text = workspaceSettingsText.key;

interface KeyRotationProps {
  workspace: string;
  rotation: ReturnType<typeof useKeyRotation>;
}

/** The progress of a key rotation that has not ended, and the secrets that it could not decrypt. Any admin can continue it at once. */
export function KeyRotation({ workspace, rotation }: KeyRotationProps) {
  const { state } = rotation;
  if (state.error) return <Failed error={state.error} onRetry={() => void state.refetch()} />;
  if (!state.data) return null;
  return (
    <>
      {state.data.state !== "none" && <Progress stored={state.data} rotation={rotation} />}
      {state.data.unreadable.length > 0 && <Unreadable workspace={workspace} paths={state.data.unreadable} />}
    </>
  );
}

function Unreadable({ workspace, paths }: { workspace: string; paths: readonly string[] }) {
  return (
    <Note tone="bad">
      <Text>{text.unreadableWhy(paths.length)}</Text>
      <List aria-label={text.unreadable}>
        {paths.map((path) => (
          <List.Item key={path}>
            <Link to="/w/$ws/variables" params={{ ws: workspace }} search={{ edit: path }}>
              {path}
            </Link>
          </List.Item>
        ))}
      </List>
    </Note>
  );
}

interface ProgressProps {
  stored: KeyRotationJson;
  rotation: ReturnType<typeof useKeyRotation>;
}

function Progress({ stored, rotation: { proceed, isProceeding, error } }: ProgressProps) {
  const isWaiting = stored.state === "interrupted" && !isProceeding;
  const { done, total, started_by: by, started_at: at } = stored;
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
