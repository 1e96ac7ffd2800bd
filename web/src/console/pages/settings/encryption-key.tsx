import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { TypedConfirm } from "../../parts/typed-confirm.tsx";
import { KeyRotation } from "./key-rotation.tsx";
import { useKeyRotation } from "./use-key-rotation.ts";

const text = workspaceSettingsText.key;

/** Returns a key of 256 random bits. */
function generateKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Shows the key of exports on request, and rotates it. */
export function EncryptionKey({ workspace }: { workspace: string }) {
  const [key, setKey] = useState("");
  const [isOnlyExport, setIsOnlyExport] = useState(false);
  const [asks, setAsks] = useState(false);
  // The cache forgets both keys when the page closes.
  const shown = useMutation({ gcTime: 0, mutationFn: () => call.workspaces.getEncryptionKey({ workspace }) });
  const rotation = useKeyRotation(workspace);
  const rotate = useMutation({
    gcTime: 0,
    mutationFn: () => call.workspaces.setEncryptionKey({ workspace, body: { new_key: key, skip_reencrypt: isOnlyExport } }),
    onSuccess: (message) => {
      notifications.show({ message });
      setAsks(false);
      setKey("");
      shown.reset();
      rotation.proceed();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsks(true);
  };
  return (
    <Stack maw={640}>
      <Text>{text.why}</Text>
      {shown.data ? (
        <ShownOnce label={text.key} description={text.shownWhy} value={shown.data.key} />
      ) : (
        <Group>
          <Button variant="default" loading={shown.isPending} onClick={() => shown.mutate()}>
            {text.show}
          </Button>
        </Group>
      )}
      {shown.error && <Failed error={shown.error} />}
      <KeyRotation workspace={workspace} rotation={rotation} />
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Group align="flex-end" wrap="nowrap">
            <TextInput
              className="grow"
              label={text.newKey}
              description={text.newKeyHelp}
              required
              withAsterisk={false}
              minLength={32}
              maxLength={256}
              pattern="[!-~]*"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={({ target }) => setKey(target.value)}
            />
            <Button variant="default" onClick={() => setKey(generateKey())}>
              {text.generate}
            </Button>
          </Group>
          <Checkbox label={text.onlyExport} checked={isOnlyExport} onChange={({ target }) => setIsOnlyExport(target.checked)} />
          <Group>
            <Button type="submit" color="red.8">
              {text.rotate}
            </Button>
          </Group>
        </Stack>
      </form>
      {asks && (
        <TypedConfirm
          title={text.rotateTitle}
          action={text.rotate}
          name={workspace}
          isBusy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={() => {
            rotate.reset();
            setAsks(false);
          }}
        >
          {text.rotateWhy}
        </TypedConfirm>
      )}
    </Stack>
  );
}
