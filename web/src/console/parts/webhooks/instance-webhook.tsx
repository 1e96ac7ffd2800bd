import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { instanceWebhookText, webhooksText } from "../../messages/webhooks.ts";
import { Secret } from "./secret.tsx";
import type { WebhookSource } from "./source.ts";
import { checkUnchanged } from "./unchanged.ts";
import { useRefresh, useTest } from "./use-webhooks.ts";
import { WebhookState } from "./webhook-state.tsx";

/** The name of the setting that names the receiver. */
export const RECEIVER_SETTING = "instance_events_webhook";

interface InstanceWebhookProps {
  source: WebhookSource;
  webhook: WebhookJson | undefined;
  /** Whether the deployment names the receiver, because no setting does. */
  isOfDeployment: boolean;
}

/** Sets the receiver of the events of the instance. */
export function InstanceWebhook({ source, webhook, isOfDeployment }: InstanceWebhookProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const seen = useRef(webhook);
  const noticed = useRef(new Set<string>());
  const refresh = useRefresh(source);
  const test = useTest(source);
  const save = useMutation({
    mutationFn: async (value: string | null) => {
      const id = (seen.current ?? webhook)?.id;
      if (id !== undefined) await checkUnchanged(source, id, seen.current, noticed.current);
      await call.settings.setGlobal({ key: RECEIVER_SETTING, body: { value } });
      const [present] = await source.list();
      seen.current = present;
      setUrl(present?.url ?? "");
    },
    onSuccess: async () => {
      notifications.show({ message: seen.current ? webhooksText.saved : webhooksText.removed });
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(url.trim());
  };
  const error = save.error ?? test.error;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        <TextInput
          type="url"
          label={webhooksText.url}
          description={instanceWebhookText.urlHelp}
          maxLength={2000}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        {webhook && isOfDeployment && <Text size="sm">{instanceWebhookText.ofDeployment}</Text>}
        {webhook && (
          <div>
            <WebhookState webhook={webhook} />
          </div>
        )}
        {error && <Failed error={error} />}
        <Group gap="xs">
          <Button type="submit" color="blue.8" loading={save.isPending}>
            {frameText.save}
          </Button>
          {webhook && (
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate(webhook.id)}>
              {webhooksText.test}
            </Button>
          )}
          <Secret source={source} />
          {!isOfDeployment && (
            <Button variant="default" onClick={() => save.mutate(null)}>
              {instanceWebhookText.useDeployment}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
