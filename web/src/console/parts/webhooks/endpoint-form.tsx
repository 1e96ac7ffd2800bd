import { Switch, Textarea, TextInput } from "@mantine/core";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { webhooksText } from "../../messages/webhooks.ts";
import { EditorForm } from "../stored/editor-form.tsx";
import { useEditor } from "../stored/use-editor.ts";
import { EventTypesField } from "./event-types-field.tsx";
import type { WebhookSource } from "./source.ts";
import { useRefresh } from "./use-webhooks.ts";
import { type EndpointValues, endpointFields, keepableEndpoint, toEndpoint, toLoadedEndpoint } from "./webhook-values.ts";

interface EndpointFormProps {
  workspace: string;
  source: WebhookSource;
  /** Undefined: a new one. */
  endpoint: WebhookJson | undefined;
  onClose: () => void;
}

/** Adds or changes an endpoint of a workspace. */
export function EndpointForm({ workspace, source, endpoint, onClose }: EndpointFormProps) {
  const refresh = useRefresh(source);
  const editor = useEditor<EndpointValues>({
    form: ["webhook", endpoint?.id],
    loaded: toLoadedEndpoint(endpoint),
    keepable: keepableEndpoint,
    fields: endpointFields,
    reload: async () => toLoadedEndpoint((await source.list()).find(({ id }) => id === endpoint?.id)),
    save: (typed, headers) => {
      const body = toEndpoint(typed);
      if (endpoint) return call.webhooks.update({ workspace, id: endpoint.id, headers, body });
      const id = typed.id.trim();
      return call.webhooks.create({ workspace, body: id === "" ? body : { ...body, id } });
    },
    onSaved: () => {
      notifications.show({ message: webhooksText.saved });
      onClose();
      void refresh();
    },
  });
  const { values, change } = editor;
  return (
    <EditorForm editor={editor} isNew={endpoint === undefined} onClose={onClose}>
      {!endpoint && (
        <TextInput
          label={webhooksText.id}
          description={webhooksText.idHelp}
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
          value={values.id}
          onChange={({ target }) => change({ id: target.value })}
        />
      )}
      <TextInput
        type="url"
        label={webhooksText.endpointUrl}
        required
        withAsterisk={false}
        maxLength={2000}
        value={values.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <EventTypesField value={values.types} onChange={(types) => change({ types })} />
      <Textarea
        label={webhooksText.paths}
        description={webhooksText.pathsHelp}
        rows={2}
        value={values.paths}
        onChange={({ target }) => change({ paths: target.value })}
      />
      <TextInput
        label={webhooksText.description}
        maxLength={1000}
        value={values.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <Switch label={webhooksText.enabled} checked={values.isEnabled} onChange={({ target }) => change({ isEnabled: target.checked })} />
    </EditorForm>
  );
}
