import { Button, Text, TextInput } from "@mantine/core";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { ask, call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { instanceWebhookText, webhooksText } from "../../messages/webhooks.ts";
import { SettingForm } from "../setting-form/setting-form.tsx";
import { compared } from "../stored/compared-fields.ts";
import { type Loaded, useEditor } from "../stored/use-editor.ts";
import { Secret } from "./secret.tsx";
import type { WebhookSource } from "./source.ts";
import { useRefresh, useTest } from "./use-webhooks.ts";
import { WebhookState } from "./webhook-state.tsx";

/** The name of the setting that names the receiver. */
const SETTING = "instance_events_webhook";

interface ReceiverValues {
  /** `null`: the receiver that the deployment names. Empty: none. */
  url: string | null;
}

const fields = [compared<ReceiverValues, "url">(webhooksText.url, "url", (url) => url ?? instanceWebhookText.deployments)];

/** Loads the setting that names the receiver of the events of the instance, with its version. */
export async function loadReceiver(signal?: AbortSignal): Promise<Loaded<ReceiverValues>> {
  const { value, headers } = await ask.settings.getGlobal({ key: SETTING, ...(signal ? { signal } : {}) });
  return { values: { url: typeof value === "string" ? value : null }, version: headers.get("etag") ?? undefined };
}

interface InstanceWebhookProps {
  source: WebhookSource;
  webhook: WebhookJson | undefined;
  receiver: Loaded<ReceiverValues>;
}

/** Sets the receiver of the events of the instance. */
export function InstanceWebhook({ source, webhook, receiver }: InstanceWebhookProps) {
  const refresh = useRefresh(source);
  const test = useTest(source);
  const editor = useEditor<ReceiverValues>({
    form: ["webhook", SETTING],
    loaded: receiver,
    // An address can contain a secret.
    keepable: () => ({}),
    fields,
    reload: () => loadReceiver(),
    save: ({ url }, headers) => call.settings.setGlobal({ key: SETTING, headers, body: { value: url === null ? null : url.trim() } }),
    onSaved: async ({ url }) => {
      await refresh();
      notifications.show({ message: url === "" ? webhooksText.removed : webhooksText.saved });
    },
  });
  const { url } = editor.values;
  const isOfDeployment = url === null;
  return (
    <SettingForm
      editor={editor}
      otherError={test.error}
      actions={
        <>
          {webhook && (
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate(webhook.id)}>
              {webhooksText.test}
            </Button>
          )}
          <Secret source={source} />
          {!isOfDeployment && (
            <Button variant="default" onClick={() => editor.save({ url: null })}>
              {instanceWebhookText.useDeployment}
            </Button>
          )}
        </>
      }
    >
      <TextInput
        type="url"
        label={webhooksText.url}
        description={instanceWebhookText.urlHelp}
        maxLength={2000}
        value={url ?? webhook?.url ?? ""}
        onChange={({ target }) => editor.change({ url: target.value })}
      />
      {webhook && isOfDeployment && <Text size="sm">{instanceWebhookText.ofDeployment}</Text>}
      {webhook && (
        <div>
          <WebhookState webhook={webhook} />
        </div>
      )}
    </SettingForm>
  );
}
