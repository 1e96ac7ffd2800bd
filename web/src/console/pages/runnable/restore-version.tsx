import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { notifications } from "../../frame/notifications.tsx";
import { versionsText as text } from "../../messages/versions.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { deployFlow, loadVersion } from "../flow-editor/flow-api.ts";
import { deployScriptAgain } from "./archive.ts";
import { type Runnable, runnableKey } from "./use-runnable.ts";

interface RestoreVersionProps {
  workspace: string;
  runnable: Runnable;
  /** The version with the content. `id`: the name by which the service finds it. */
  version: { id: string; hash: string };
  /** The id of the newest version. A newer one that the list does not show is not replaced. */
  newest: string;
  onClose: () => void;
}

/** Asks whether the content of an older version becomes a new one, and saves it. */
export default function RestoreVersion({ workspace, runnable: { kind, path }, version, newest, onClose }: RestoreVersionProps) {
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: async () => {
      const message = text.restoredMessage(version.hash);
      if (kind === "script") return deployScriptAgain(workspace, { path, hash: version.id, newest, message });
      const document = await loadVersion(workspace, version.id);
      if (!document) throw new Error(text.gone);
      await deployFlow({ workspace, path, document, version: `"${newest}"`, message });
    },
    onSuccess: async () => {
      notifications.show({ message: text.restored(version.hash) });
      onClose();
      await Promise.all([
        queries.invalidateQueries({ queryKey: runnableKey(workspace, kind, path) }),
        queries.invalidateQueries({ queryKey: [workspace, "items"] }),
        queries.invalidateQueries({ queryKey: [workspace, "versions of", kind, path] }),
      ]);
    },
    onError: () => queries.invalidateQueries({ queryKey: [workspace, "versions of", kind, path] }),
  });
  return (
    <Confirm
      isOpen
      title={text.restoreOf(version.hash)}
      action={text.restore}
      isBusy={restore.isPending}
      error={restore.error}
      onConfirm={() => restore.mutate()}
      onClose={onClose}
    >
      <Text>{text.restoreWhy}</Text>
    </Confirm>
  );
}
