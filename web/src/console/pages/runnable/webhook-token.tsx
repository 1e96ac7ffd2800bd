import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../data/api.ts";
import { Failed } from "../../frame/panel.tsx";
import { webhooksOfText as text } from "../../messages/webhooks-of.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";
import type { Runnable } from "./use-runnable.ts";

const DAY_MS = 86_400_000;

interface WebhookTokenProps {
  workspace: string;
  runnable: Runnable;
  onClose: () => void;
}

/** Creates a token that can run one script or flow. Its value is shown once. */
export default function WebhookToken({ workspace, runnable: { kind, path }, onClose }: WebhookTokenProps) {
  const queries = useQueryClient();
  const [label, setLabel] = useState<string>(text.labelOf(path));
  const [days, setDays] = useState("90");
  const create = useMutation({
    mutationFn: () =>
      call.tokens.create({
        body: {
          label,
          expiration: days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          workspace_id: workspace,
          scopes: [`jobs:run:${kind}s:${path}`],
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [workspace, "tokens of", kind, path] }),
    gcTime: 0,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={text.createToken}>
      {create.data === undefined ? (
        <form onSubmit={submit}>
          <Stack>
            <Text>{text.scope(path)}</Text>
            <TextInput label={text.label} maxLength={200} value={label} onChange={({ target }) => setLabel(target.value)} data-autofocus />
            <NativeSelect
              label={text.expires}
              value={days}
              data={Object.entries(text.expiries).map(([value, name]) => ({ value, label: name }))}
              onChange={({ target }) => setDays(target.value)}
            />
            {create.error && <Failed error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {text.cancel}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {text.create}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack>
          <Text role="status">{text.tokenOnce}</Text>
          <ShownOnce label={text.token} value={create.data} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{text.close}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
