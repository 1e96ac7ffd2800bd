import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { storedText } from "../../messages/objects/stored.ts";

interface RowActionsProps {
  path: string;
  /** Undefined: not offered. */
  onEdit: (() => void) | undefined;
  onDelete: (() => void) | undefined;
  /** Further buttons. */
  children?: ReactNode;
}

/** The buttons of an object in a list. Each names its object for screen readers. */
export function RowActions({ path, onEdit, onDelete, children }: RowActionsProps) {
  return (
    <Group className="row-actions" gap={6} wrap="nowrap">
      {children}
      {onEdit && (
        <Button size="compact-sm" variant="default" aria-label={storedText.editOf(path)} onClick={onEdit}>
          {storedText.edit}
        </Button>
      )}
      {onDelete && (
        <Button size="compact-sm" variant="default" aria-label={storedText.deleteOf(path)} onClick={onDelete}>
          {storedText.delete}
        </Button>
      )}
    </Group>
  );
}
