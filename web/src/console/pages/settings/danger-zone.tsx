import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { TypedConfirm } from "../../parts/typed-confirm.tsx";

const text = workspaceSettingsText.danger;

/** Archives, restores and deletes a workspace. */
export function DangerZone({ workspace }: { workspace: string }) {
  const member = useMember();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<"archive" | "delete">();
  const actions = {
    archive: () => call.workspaces.archive({ workspace }),
    unarchive: () => call.workspaces.unarchive({ workspace }),
    delete: () => call.workspaces.delete({ workspace }),
  };
  const act = useMutation({
    mutationFn: (name: keyof typeof actions) => actions[name](),
    onSuccess: async (_, name) => {
      setAsked(undefined);
      const messages = { archive: text.archived, unarchive: text.unarchived, delete: text.deleted(workspace) };
      notifications.show({ message: messages[name] });
      // Everything that was read of the workspace may differ.
      await queries.invalidateQueries();
      if (name === "delete") void navigate({ to: "/login" });
    },
  });
  const close = () => {
    act.reset();
    setAsked(undefined);
  };
  return (
    <Stack maw={640}>
      <Text>{text.archiveWhy}</Text>
      <Group>
        <Button color="red.8" onClick={() => setAsked("archive")}>
          {text.archive}
        </Button>
        <Button variant="default" loading={act.isPending && act.variables === "unarchive"} onClick={() => act.mutate("unarchive")}>
          {text.unarchive}
        </Button>
      </Group>
      <Text>{text.deleteWhy(workspace)}</Text>
      {isOffered("workspaces.delete", member) ? (
        <Group>
          <Button color="red.8" onClick={() => setAsked("delete")}>
            {text.delete}
          </Button>
        </Group>
      ) : (
        <Text c="dimmed">{text.superadminsOnly}</Text>
      )}
      {act.error && asked === undefined && <Failed error={act.error} />}
      {asked && (
        <TypedConfirm
          title={text[asked]}
          action={text[asked]}
          name={workspace}
          isBusy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={close}
        >
          {asked === "archive" ? text.archiveWhy : text.deleteWhy(workspace)}
        </TypedConfirm>
      )}
    </Stack>
  );
}
