import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Failed } from "../frame/panel.tsx";
import { frameText } from "../messages/frame.ts";

interface ConfirmProps {
  isOpen: boolean;
  title: string;
  /** The button that confirms. */
  action: string;
  /** The button that changes nothing. */
  keep?: string;
  isBusy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before an action that cannot be undone. */
export function Confirm({ isOpen, title, action, keep = frameText.cancel, isBusy, error, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        {children}
        {error && <Failed error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {keep}
          </Button>
          <Button color="red.8" loading={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
