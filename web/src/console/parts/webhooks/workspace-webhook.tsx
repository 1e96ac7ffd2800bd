import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { webhooksText } from "../../messages/webhooks.ts";
import type { WorkspaceEventType } from "./event-types.ts";
import { EventTypesField } from "./event-types-field.tsx";
import { Secret } from "./secret.tsx";
import type { WebhookSource } from "./source.ts";
import { checkUnchanged } from "./unchanged.ts";
import { useRefresh, useTest } from "./use-webhooks.ts";
import { WebhookState } from "./webhook-state.tsx";

/** The id of the endpoint that is the workspace's own webhook. */
export const OWN_ENDPOINT = "workspace";

interface WorkspaceWebhookProps {
  workspace: string;
  source: WebhookSource;
  webhook: WebhookJson | undefined;
}

/** Sets the workspace's own webhook. */
export function WorkspaceWebhook({ workspace, source, webhook }: WorkspaceWebhookProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [types, setTypes] = useState((webhook?.events ?? []) as WorkspaceEventType[]);
  const seen = useRef(webhook);
  const noticed = useRef(new Set<string>());
  const refresh = useRefresh(source);
  const test = useTest(source);
  const save = useMutation({
    mutationFn: async () => {
      await checkUnchanged(source, OWN_ENDPOINT, seen.current, noticed.current);
      const address = url.trim();
      await call.workspaces.editWebhook({
        workspace,
        body: address === "" ? { webhook: null } : { webhook: address, events: types.length === 0 ? null : types },
      });
      seen.current = (await source.list()).find(({ id }) => id === OWN_ENDPOINT);
    },
    onSuccess: async () => {
      notifications.show({ message: url.trim() === "" ? webhooksText.removed : webhooksText.saved });
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const error = save.error ?? test.error;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        <TextInput
          type="url"
          label={webhooksText.url}
          description={webhooksText.urlHelp}
          maxLength={2000}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <EventTypesField value={types} onChange={setTypes} />
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
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate(OWN_ENDPOINT)}>
              {webhooksText.test}
            </Button>
          )}
          <Secret source={source} />
        </Group>
      </Stack>
    </form>
  );
}
