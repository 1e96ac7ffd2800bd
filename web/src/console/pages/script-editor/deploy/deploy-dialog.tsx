import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Failed } from "../../../frame/panel.tsx";
import { deployText as text } from "../../../messages/editor/script.ts";

interface DeployDialogProps {
  isBusy: boolean;
  error: Error | null;
  onDeploy: (message: string) => void;
  onClose: () => void;
}

/** Asks for the message of a deployment. */
export function DeployDialog({ isBusy, error, onDeploy, onClose }: DeployDialogProps) {
  const [message, setMessage] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDeploy(message.trim());
  };
  return (
    <Modal opened onClose={onClose} title={text.deploy}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            data-autofocus
            label={text.message}
            description={text.messageHelp}
            rows={3}
            maxLength={1000}
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
          {error && <Failed error={error} guide="scripts#saving" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {text.deploy}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
