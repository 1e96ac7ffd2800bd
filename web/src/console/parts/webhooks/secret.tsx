import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Failed } from "../../frame/panel.tsx";
import { webhooksText } from "../../messages/webhooks.ts";
import { Confirm } from "../confirm.tsx";
import { ShownOnce } from "../shown-once.tsx";
import type { WebhookSource } from "./source.ts";

/** Shows the secret that signs events on request, and replaces it. */
export function Secret({ source }: { source: WebhookSource }) {
  const [isAsking, setIsAsking] = useState(false);
  // The value is never cached: closing its dialog forgets it.
  const show = useMutation({ gcTime: 0, mutationFn: source.showSecret });
  const rotate = useMutation({ gcTime: 0, mutationFn: source.rotateSecret, onSuccess: () => setIsAsking(false) });
  const shown = rotate.data ?? show.data;
  const forget = () => {
    show.reset();
    rotate.reset();
  };
  return (
    <>
      <Button variant="default" loading={show.isPending} onClick={() => show.mutate()}>
        {webhooksText.showSecret}
      </Button>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        {webhooksText.rotate}
      </Button>
      {show.error && <Failed error={show.error} />}
      <Confirm
        isOpen={isAsking}
        title={webhooksText.rotate}
        action={webhooksText.rotate}
        isBusy={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
        onClose={() => {
          setIsAsking(false);
          rotate.reset();
        }}
      >
        <Text>{webhooksText.rotateWhy}</Text>
      </Confirm>
      <Modal opened={shown !== undefined} onClose={forget} title={webhooksText.secretTitle} size="lg" closeOnClickOutside={false}>
        <Stack>
          {shown && <ShownOnce label={webhooksText.secret} description={webhooksText.secretWhy} value={shown.secret} />}
          <Group justify="flex-end">
            <Button color="blue.8" onClick={forget}>
              {webhooksText.done}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
