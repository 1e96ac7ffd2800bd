import { Button, TextInput } from "@mantine/core";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { webhooksText } from "../../messages/webhooks.ts";
import { SettingForm } from "../setting-form/setting-form.tsx";
import { useEditor } from "../stored/use-editor.ts";
import { EventTypesField } from "./event-types-field.tsx";
import { Secret } from "./secret.tsx";
import type { WebhookSource } from "./source.ts";
import { useRefresh, useTest } from "./use-webhooks.ts";
import { WebhookState } from "./webhook-state.tsx";
import { type EndpointValues, keepableEndpoint, toEndpoint, toLoadedEndpoint, webhookFields } from "./webhook-values.ts";

/** The id of the endpoint that is the workspace's own webhook. */
export const OWN_ENDPOINT = "workspace";

interface WorkspaceWebhookProps {
  workspace: string;
  source: WebhookSource;
  webhook: WebhookJson | undefined;
  /** The form begins again with the saved version. */
  onSaved: () => void;
}

/** Sets the workspace's own webhook. */
export function WorkspaceWebhook({ workspace, source, webhook, onSaved }: WorkspaceWebhookProps) {
  const refresh = useRefresh(source);
  const test = useTest(source);
  const editor = useEditor<EndpointValues>({
    form: ["webhook", OWN_ENDPOINT],
    loaded: toLoadedEndpoint(webhook),
    keepable: keepableEndpoint,
    fields: webhookFields,
    reload: async () => toLoadedEndpoint((await source.list()).find(({ id }) => id === OWN_ENDPOINT)),
    save: (typed, headers) => {
      const { url, events } = toEndpoint(typed);
      return call.workspaces.editWebhook({ workspace, headers, body: url === "" ? { webhook: null } : { webhook: url, events } });
    },
    onSaved: ({ url }) => {
      notifications.show({ message: url.trim() === "" ? webhooksText.removed : webhooksText.saved });
      void refresh().then(onSaved);
    },
  });
  const { values, change } = editor;
  return (
    <SettingForm
      editor={editor}
      otherError={test.error}
      actions={
        <>
          {webhook && (
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate(OWN_ENDPOINT)}>
              {webhooksText.test}
            </Button>
          )}
          <Secret source={source} />
        </>
      }
    >
      <TextInput
        type="url"
        label={webhooksText.url}
        description={webhooksText.urlHelp}
        maxLength={2000}
        value={values.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <EventTypesField value={values.types} onChange={(types) => change({ types })} />
      {webhook && (
        <div>
          <WebhookState webhook={webhook} />
        </div>
      )}
    </SettingForm>
  );
}
