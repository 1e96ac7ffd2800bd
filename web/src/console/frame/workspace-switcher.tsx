import { ColorSwatch, Group, Select, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { WorkspaceJson } from "../../../../contract/routes/workspaces/workspace-schemas.ts";
import { relativeText } from "../../shared/time/time.ts";
import { lastUseOf } from "../data/last-workspaces.ts";
import { useNearestWorkspace } from "../data/me.ts";
import { frameText } from "../messages/frame.ts";

/** Switches to another workspace. Each one shows its colour and when this browser used it last. */
export function WorkspaceSwitcher({ workspaces }: { workspaces: readonly WorkspaceJson[] }) {
  const current = useNearestWorkspace();
  const navigate = useNavigate();
  const colorOf = (id: string) => workspaces.find((workspace) => workspace.id === id)?.color || "var(--mantine-color-gray-5)";
  return (
    <Select
      className="switcher"
      aria-label={frameText.workspace}
      data={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      value={current || null}
      size="xs"
      searchable={workspaces.length > 8}
      allowDeselect={false}
      leftSection={<ColorSwatch size={12} color={colorOf(current)} withShadow={false} />}
      onChange={(ws) => ws && void navigate({ to: "/w/$ws", params: { ws } })}
      renderOption={({ option }) => {
        const usedMs = lastUseOf(option.value);
        return (
          <Group gap="xs" wrap="nowrap">
            <ColorSwatch size={12} color={colorOf(option.value)} withShadow={false} />
            <span>{option.label}</span>
            {usedMs !== undefined && (
              <Text span size="xs" c="dimmed">
                {frameText.lastUsed(relativeText(usedMs, Date.now()))}
              </Text>
            )}
          </Group>
        );
      }}
    />
  );
}
