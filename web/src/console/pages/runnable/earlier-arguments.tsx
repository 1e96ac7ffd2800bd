import { Button, Checkbox, Group, Modal, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { Failed, Panel } from "../../frame/panel.tsx";
import { stateText } from "../../messages/frame.ts";
import { runnableText } from "../../messages/runnable.ts";
import { useDraft } from "../../parts/draft/use-draft.ts";
import type { Runnable } from "./use-runnable.ts";

type Input = Reply<"inputs.list">[number];
type Args = Record<string, unknown>;

interface EarlierProps {
  workspace: string;
  runnable: Runnable;
  /** The present values of the form. */
  present: { readonly current: Args };
  onChosen: (args: Args) => void;
}

const MOST_SHOWN = 20;

/** Offers saved inputs and the arguments of the last runs, and saves the present ones. */
export function EarlierArguments(props: EarlierProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        {runnableText.earlier}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={runnableText.earlier} size="lg">
        <Choices
          {...props}
          onChosen={(args) => {
            setIsOpen(false);
            props.onChosen(args);
          }}
        />
      </Modal>
    </>
  );
}

const savedKey = (workspace: string, { kind, path }: Runnable) => [workspace, "saved inputs", kind, path] as const;
const runnableOf = ({ kind, path }: Runnable) =>
  ({ runnable_id: path, runnable_type: kind === "flow" ? "FlowPath" : "ScriptPath" }) as const;

function Choices({ workspace, runnable, present, onChosen }: EarlierProps) {
  const query = { ...runnableOf(runnable), per_page: MOST_SHOWN };
  const saved = useQuery({
    queryKey: savedKey(workspace, runnable),
    queryFn: ({ signal }) => call.inputs.list({ workspace, query, signal }),
  });
  const history = useQuery({
    queryKey: [workspace, "earlier inputs", runnable.kind, runnable.path],
    queryFn: ({ signal }) => call.inputs.history({ workspace, query, signal }),
  });
  const load = useMutation({
    mutationFn: ({ id, isSaved }: { id: string; isSaved: boolean }) =>
      call.inputs.getArgs({ workspace, id, query: { input: isSaved || undefined } }),
    onSuccess: onChosen,
  });
  const chooseButton = ({ id }: Input, name: string, isSaved: boolean) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={runnableText.inputName(name)}
      loading={load.isPending && load.variables.id === id}
      onClick={() => load.mutate({ id, isSaved })}
    >
      {runnableText.use}
    </Button>
  );
  return (
    <Stack gap="md">
      {load.error && <Failed error={load.error} />}
      <section aria-label={runnableText.saved}>
        <Title order={3} size="h6">
          {runnableText.saved}
        </Title>
        <Panel query={saved} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{runnableText.noSaved}</Text>}>
          {(found) => (
            <Stack component="ul" gap="xs" className="plain-list">
              {found.map((input) => (
                <li key={input.id}>
                  <Group gap="xs" justify="space-between">
                    <Text size="sm">
                      {input.name} <Ago at={input.created_at} />
                    </Text>
                    <Group gap="xs">
                      <Manage workspace={workspace} runnable={runnable} input={input} />
                      {chooseButton(input, input.name, true)}
                    </Group>
                  </Group>
                </li>
              ))}
            </Stack>
          )}
        </Panel>
        <SaveInput workspace={workspace} runnable={runnable} present={present} />
      </section>
      <section aria-label={runnableText.history}>
        <Title order={3} size="h6">
          {runnableText.history}
        </Title>
        <Panel query={history} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{runnableText.noHistory}</Text>}>
          {(found) => (
            <Stack component="ul" gap="xs" className="plain-list">
              {found.map((input) => (
                <li key={input.id}>
                  <Group gap="xs" justify="space-between" wrap="nowrap">
                    <Text size="sm">
                      {input.success !== undefined && stateText[input.success ? "succeeded" : "failed"]} {input.created_by}{" "}
                      <Ago at={input.created_at} />
                    </Text>
                    {chooseButton(input, input.id.slice(0, 8), false)}
                  </Group>
                </li>
              ))}
            </Stack>
          )}
        </Panel>
      </section>
    </Stack>
  );
}

/** The creator of an input renames it, shows it to others, or deletes it. */
function Manage({
  workspace,
  runnable,
  input: { id, name, created_by, is_public },
}: {
  workspace: string;
  runnable: Runnable;
  input: Input;
}) {
  const queries = useQueryClient();
  const member = useMember();
  const refresh = () => queries.invalidateQueries({ queryKey: savedKey(workspace, runnable) });
  const remove = useMutation({ mutationFn: () => call.inputs.delete({ workspace, id }), onSuccess: refresh });
  const [newName, setNewName] = useState<string>();
  const update = useMutation({
    mutationFn: (changes: { name?: string; is_public?: boolean }) =>
      call.inputs.update({ workspace, body: { id, name, is_public, ...changes } }),
    onSuccess: () => {
      setNewName(undefined);
      return refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({ name: newName ?? name });
  };
  if (created_by !== member.username) return null;
  return (
    <>
      <Checkbox
        size="xs"
        label={runnableText.isPublic}
        aria-label={runnableText.publicOf(name)}
        checked={is_public}
        disabled={update.isPending}
        onChange={({ target }) => update.mutate({ is_public: target.checked })}
      />
      {newName === undefined ? (
        <Button size="compact-sm" variant="default" aria-label={runnableText.renameOf(name)} onClick={() => setNewName(name)}>
          {runnableText.rename}
        </Button>
      ) : (
        <form onSubmit={submit}>
          <Group gap="xs">
            <TextInput
              size="xs"
              aria-label={runnableText.newNameOf(name)}
              required
              maxLength={200}
              autoFocus
              value={newName}
              onChange={({ target }) => setNewName(target.value)}
            />
            <Button size="compact-sm" variant="default" type="submit" loading={update.isPending}>
              {runnableText.save}
            </Button>
          </Group>
        </form>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={runnableText.deleteOf(name)}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        {runnableText.delete}
      </Button>
      {(remove.error ?? update.error) && <Failed error={remove.error ?? update.error} />}
    </>
  );
}

function SaveInput({ workspace, runnable, present }: Omit<EarlierProps, "onChosen">) {
  const queries = useQueryClient();
  const [name, setName, forgetName] = useDraft(`name of an input of ${runnable.kind} ${runnable.path}`);
  const save = useMutation({
    mutationFn: () => call.inputs.create({ workspace, query: runnableOf(runnable), body: { name, args: present.current } }),
    onSuccess: () => {
      setName("");
      forgetName();
      return queries.invalidateQueries({ queryKey: savedKey(workspace, runnable) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" mt="xs">
        <TextInput
          size="xs"
          label={runnableText.saveAs}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button size="xs" variant="default" type="submit" loading={save.isPending}>
          {runnableText.save}
        </Button>
      </Group>
      {save.error && <Failed error={save.error} />}
    </form>
  );
}
