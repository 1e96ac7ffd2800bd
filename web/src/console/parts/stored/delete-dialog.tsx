import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { notifications } from "../../frame/notifications.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import { Confirm } from "../confirm.tsx";

export interface DeletionWords {
  title: (path: string) => string;
  action: string;
  done: (path: string) => string;
}

const DELETION: DeletionWords = { title: storedText.deleteTitle, action: storedText.delete, done: storedText.deleted };

interface DeleteDialogProps {
  /** The path or the name of the object. Undefined: closed. */
  path: string | undefined;
  why: string;
  words?: DeletionWords | undefined;
  remove: (path: string) => Promise<unknown>;
  onDeleted: () => void;
  onClose: () => void;
  /** Further consequences. */
  children?: ReactNode;
}

/** Asks before an object is deleted. */
export function DeleteDialog({ path, why, words = DELETION, remove, onDeleted, onClose, children }: DeleteDialogProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: (_, removed) => {
      notifications.show({ message: words.done(removed) });
      onDeleted();
      onClose();
    },
  });
  return (
    <Confirm
      isOpen={path !== undefined}
      title={words.title(path ?? "")}
      action={words.action}
      isBusy={removing.isPending}
      error={removing.error}
      onConfirm={() => path !== undefined && removing.mutate(path)}
      onClose={() => {
        removing.reset();
        onClose();
      }}
    >
      <Text>{why}</Text>
      {children}
    </Confirm>
  );
}
