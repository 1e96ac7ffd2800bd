import { Button, Group, Stack, Switch, Textarea, TextInput } from "@mantine/core";
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
import type { WebhookSource } from "./source.ts";
import { checkUnchanged } from "./unchanged.ts";
import { useRefresh } from "./use-webhooks.ts";

interface EndpointFormProps {
  workspace: string;
  source: WebhookSource;
  /** Undefined: a new one. */
  endpoint: WebhookJson | undefined;
  onClose: () => void;
}

/** Adds or changes an endpoint of a workspace. */
export function EndpointForm({ workspace, source, endpoint, onClose }: EndpointFormProps) {
  const [id, setId] = useState("");
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [types, setTypes] = useState((endpoint?.events ?? []) as WorkspaceEventType[]);
  const [paths, setPaths] = useState((endpoint?.paths ?? []).join("\n"));
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [enabled, setEnabled] = useState(endpoint?.enabled ?? true);
  const noticed = useRef(new Set<string>());
  const refresh = useRefresh(source);
  const save = useMutation({
    mutationFn: async () => {
      const patterns = paths.split(/\s+/).filter((path) => path !== "");
      const body = {
        url: url.trim(),
        events: types.length === 0 ? null : types,
        paths: patterns.length === 0 ? null : patterns,
        description: description.trim(),
        enabled,
      };
      if (!endpoint) return call.webhooks.create({ workspace, body: id.trim() === "" ? body : { ...body, id: id.trim() } });
      await checkUnchanged(source, endpoint.id, endpoint, noticed.current);
      return call.webhooks.update({ workspace, id: endpoint.id, body });
    },
    onSuccess: async () => {
      notifications.show({ message: webhooksText.saved });
      onClose();
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {!endpoint && (
          <TextInput
            label={webhooksText.id}
            description={webhooksText.idHelp}
            maxLength={64}
            pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
            value={id}
            onChange={({ target }) => setId(target.value)}
          />
        )}
        <TextInput
          type="url"
          label={webhooksText.endpointUrl}
          required
          withAsterisk={false}
          maxLength={2000}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <EventTypesField value={types} onChange={setTypes} />
        <Textarea
          label={webhooksText.paths}
          description={webhooksText.pathsHelp}
          rows={2}
          value={paths}
          onChange={({ target }) => setPaths(target.value)}
        />
        <TextInput
          label={webhooksText.description}
          maxLength={1000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <Switch label={webhooksText.enabled} checked={enabled} onChange={({ target }) => setEnabled(target.checked)} />
        {save.error && <Failed error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {frameText.cancel}
          </Button>
          <Button type="submit" color="blue.8" loading={save.isPending}>
            {endpoint ? frameText.save : frameText.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
