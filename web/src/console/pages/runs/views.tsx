import { Button, Checkbox, Group, Menu, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Search } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { Failed } from "../../frame/panel.tsx";
import { runsText } from "../../messages/runs.ts";
import { useDraft } from "../../parts/draft/use-draft.ts";
import { filterNames } from "./query.ts";

const text = runsText.views;

interface ViewsProps {
  workspace: string;
  search: Search;
  onApply: (search: Search) => void;
}

/** The filters of the address, without tabs and selections. */
const filtersOf = (search: Search): Record<string, string> =>
  Object.fromEntries(filterNames.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));

/** Applies, saves and deletes filters with a name: those of the user, and those that the workspace shares. */
export function Views({ workspace, search, onApply }: ViewsProps) {
  const queries = useQueryClient();
  const member = useMember();
  const [isSaving, setIsSaving] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const queryKey = [workspace, "views"];
  // The list is read when a person opens it.
  const views = useQuery({ queryKey, queryFn: () => call.views.list({ workspace }), enabled: isOpen });
  const refresh = () => queries.invalidateQueries({ queryKey });
  const remove = useMutation({ mutationFn: (id: string) => call.views.delete({ workspace, id }), onSettled: refresh });
  const failed = views.error ?? remove.error;
  return (
    <>
      <Menu opened={isOpen} onChange={setIsOpen} closeOnItemClick={false}>
        <Menu.Target>
          <Button size="xs" variant="default">
            {text.open}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.data?.length === 0 && <Menu.Label>{text.none}</Menu.Label>}
          {views.data?.map(({ id, name, shared, query, created_by }) => (
            <Group key={id} gap={0} wrap="nowrap">
              <Menu.Item
                className="view-name"
                onClick={() => {
                  setIsOpen(false);
                  onApply(query);
                }}
              >
                {shared ? text.sharedBy(name, created_by) : name}
              </Menu.Item>
              {(!shared || created_by === member.username || member.is_admin) && (
                <Menu.Item className="view-delete" aria-label={text.remove(name)} onClick={() => remove.mutate(id)}>
                  ✕
                </Menu.Item>
              )}
            </Group>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="default" onClick={() => setIsSaving(true)}>
        {text.save}
      </Button>
      {failed && <Failed error={failed} />}
      <Modal opened={isSaving} onClose={() => setIsSaving(false)} title={text.save}>
        <SaveForm
          workspace={workspace}
          query={filtersOf(search)}
          mayShare={!member.operator}
          onClose={() => setIsSaving(false)}
          onSaved={refresh}
        />
      </Modal>
    </>
  );
}

interface SaveFormProps {
  workspace: string;
  query: Record<string, string>;
  mayShare: boolean;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function SaveForm({ workspace, query, mayShare, onClose, onSaved }: SaveFormProps) {
  const [name, setName, forgetName] = useDraft("name of a view");
  const [isShared, setIsShared] = useState(false);
  const save = useMutation({
    mutationFn: () => call.views.create({ workspace, body: { name, shared: isShared, query } }),
    onSuccess: async () => {
      forgetName();
      await onSaved();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={text.name}
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
          data-autofocus
        />
        {mayShare && <Checkbox label={text.share} checked={isShared} onChange={({ target }) => setIsShared(target.checked)} />}
        {save.error && <Failed error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
