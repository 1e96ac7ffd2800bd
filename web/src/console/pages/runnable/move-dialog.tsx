import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Note } from "../../../shared/note.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { Failed, Panel } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { moveText as text } from "../../messages/runnable.ts";
import { usedByText } from "../../messages/versions.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { UserList, useUsers } from "./details/used-by.tsx";
import { move } from "./move.ts";
import type { Runnable } from "./use-runnable.ts";

interface MoveDialogProps {
  workspace: string;
  runnable: Runnable;
  onClose: () => void;
}

/** Moves a script or a flow to another path, after showing what names the old one. */
export default function MoveDialog({ workspace, runnable, onClose }: MoveDialogProps) {
  const { kind, path } = runnable;
  const [to, setTo] = useState(path);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const users = useUsers(workspace, runnable);
  const change = useMutation({
    mutationFn: () => move(workspace, runnable, to),
    onSuccess: async () => {
      notifications.show({ message: text.moved(path, to) });
      onClose();
      await navigate({ to: kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$", params: { ws: workspace, _splat: to } });
      await queries.invalidateQueries({ queryKey: [workspace] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={text.title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <PathField label={text.path} value={to} onChange={setTo} />
          <Panel query={users}>
            {(found) => (
              <Note tone="plain" title={found.users.length > 0 ? text.usedTitle : text.unusedTitle}>
                <Stack gap="xs">
                  {found.users.length > 0 && (
                    <div>
                      <Text>{text.usedWhy}</Text>
                      <UserList workspace={workspace} users={found.users} label={usedByText.title} />
                    </div>
                  )}
                  {found.isPartial && <Text>{usedByText.partial}</Text>}
                  <Text>{text.addresses}</Text>
                  {kind === "script" && <Text>{text.imports}</Text>}
                </Stack>
              </Note>
            )}
          </Panel>
          {change.error && <Failed error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {frameText.cancel}
            </Button>
            <Button type="submit" color="blue.8" loading={change.isPending} disabled={to === "" || to === path}>
              {text.title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
