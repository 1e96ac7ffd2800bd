import { Button, Checkbox, Group, Modal, MultiSelect, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/api.ts";
import { workspacesQuery } from "../../data/me.ts";
import { Failed } from "../../frame/panel.tsx";
import { tokensText } from "../../messages/account.ts";
import { frameText } from "../../messages/frame.ts";
import { useDraft } from "../../parts/draft/use-draft.ts";
import { fromLocalTime, toLocalTime } from "../../parts/local-time.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { toScopes } from "./token.ts";

const DAY_MS = 24 * 3600_000;
const MINUTE_MS = 60_000;
const DEFAULT_DAYS = 90;
const offeredDays = [7, 30, DEFAULT_DAYS, 365] as const;
const inDays = (days: number) => toLocalTime(Date.now() + days * DAY_MS);

interface NewTokenProps {
  isOpen: boolean;
  onCreated: () => void;
  onClose: () => void;
}

/** Creates a token, and shows its value once. */
export function NewToken({ isOpen, onCreated, onClose }: NewTokenProps) {
  const [value, setValue] = useState<string>();
  const isCreated = value !== undefined;
  const close = () => {
    setValue(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={isCreated ? tokensText.createdTitle : tokensText.newToken}
      size="lg"
      closeOnClickOutside={!isCreated}
    >
      {isCreated ? (
        <Stack>
          <ShownOnce label={tokensText.token} description={tokensText.createdWhy} value={value} />
          <Group justify="flex-end">
            <Button color="blue.8" onClick={close}>
              {tokensText.done}
            </Button>
          </Group>
        </Stack>
      ) : (
        <TokenForm
          onClose={close}
          onCreated={(created) => {
            setValue(created);
            onCreated();
          }}
        />
      )}
    </Modal>
  );
}

function TokenForm({ onCreated, onClose }: { onCreated: (value: string) => void; onClose: () => void }) {
  const [label, setLabel, forgetLabel] = useDraft("label of a token");
  const [expires, setExpires] = useState(() => inDays(DEFAULT_DAYS));
  const [chosen, setChosen] = useState<string[]>([]);
  const [paths, setPaths] = useState<Readonly<Record<string, string>>>({});
  const [workspace, setWorkspace] = useState("");
  const [isReadOnly, setIsReadOnly] = useState(false);
  const workspaces = useQuery(workspacesQuery);
  const domains = useQuery({ queryKey: ["scopes"], queryFn: () => call.tokens.listScopes(), staleTime: Number.POSITIVE_INFINITY });
  const create = useMutation({
    // Only the dialog keeps the value.
    gcTime: 0,
    mutationFn: () =>
      call.tokens.create({
        body: {
          label: label.trim() || null,
          expiration: fromLocalTime(expires) ?? null,
          scopes: toScopes(chosen, paths) ?? null,
          workspace_id: workspace || null,
          read_only: isReadOnly,
        },
      }),
    onSuccess: (created) => {
      forgetLabel();
      onCreated(created);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const chosenWithPaths = (domains.data ?? [])
    .flatMap(({ scopes }) => scopes)
    .filter(({ value, requires_resource_path }) => requires_resource_path && chosen.includes(value));
  const isScopeRefused = create.error instanceof Refused && create.error.code === "token.unknownScope";
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label={tokensText.label}
          description={tokensText.labelHelp}
          maxLength={200}
          value={label}
          onChange={({ target }) => setLabel(target.value)}
        />
        <div>
          <TextInput
            type="datetime-local"
            label={tokensText.expires}
            description={tokensText.expiresHelp}
            min={toLocalTime(Date.now() + MINUTE_MS)}
            value={expires}
            onChange={({ target }) => setExpires(target.value)}
          />
          <Group gap="xs" mt="xs">
            {offeredDays.map((days) => (
              <Button key={days} size="compact-xs" variant="default" onClick={() => setExpires(inDays(days))}>
                {tokensText.inDays(days)}
              </Button>
            ))}
            <Button size="compact-xs" variant="default" onClick={() => setExpires("")}>
              {tokensText.never}
            </Button>
          </Group>
        </div>
        {domains.error && <Failed error={domains.error} onRetry={() => void domains.refetch()} />}
        <MultiSelect
          label={tokensText.scopes}
          description={tokensText.scopesHelp}
          placeholder={chosen.length === 0 ? tokensText.scopesPlaceholder : ""}
          error={isScopeRefused ? create.error?.message : undefined}
          data={(domains.data ?? []).map(({ name, scopes }) => ({
            group: name,
            items: scopes.map(({ value, label: text }) => ({ value, label: text })),
          }))}
          value={chosen}
          onChange={setChosen}
          searchable
          clearable
          nothingFoundMessage={tokensText.noScope}
        />
        {chosenWithPaths.map(({ value, label: text }) => (
          <Textarea
            key={value}
            label={tokensText.pathsOf(text)}
            description={tokensText.pathsHelp}
            rows={2}
            value={paths[value] ?? ""}
            onChange={({ target }) => setPaths({ ...paths, [value]: target.value })}
          />
        ))}
        <NativeSelect
          label={tokensText.worksIn}
          value={workspace}
          data={[
            { value: "", label: tokensText.everyWorkspace },
            ...(workspaces.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={({ target }) => setWorkspace(target.value)}
        />
        <Checkbox label={tokensText.onlyReads} checked={isReadOnly} onChange={({ target }) => setIsReadOnly(target.checked)} />
        {create.error && !isScopeRefused && <Failed error={create.error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              forgetLabel();
              onClose();
            }}
          >
            {frameText.cancel}
          </Button>
          <Button type="submit" color="blue.8" loading={create.isPending}>
            {frameText.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
