import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { notifications } from "../../frame/notifications.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import { Confirm } from "../confirm.tsx";

interface DeleteDialogProps {
  /** The path or the name of the object. Undefined: closed. */
  path: string | undefined;
  why: string;
  remove: (path: string) => Promise<unknown>;
  onDeleted: () => void;
  onClose: () => void;
  /** Further consequences. */
  children?: ReactNode;
}

/** Asks before an object is deleted. */
export function DeleteDialog({ path, why, remove, onDeleted, onClose, children }: DeleteDialogProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: (_, removed) => {
      notifications.show({ message: storedText.deleted(removed) });
      onDeleted();
      onClose();
    },
  });
  return (
    <Confirm
      isOpen={path !== undefined}
      title={storedText.deleteTitle(path ?? "")}
      action={storedText.delete}
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
