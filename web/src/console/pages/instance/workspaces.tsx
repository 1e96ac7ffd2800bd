import { Button, Group, Table, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call } from "../../data/objects-api.ts";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { InstanceTable, useInstanceChange, useInstanceList } from "./instance-table.tsx";

const text = instanceTabsText.workspaces;

/** All workspaces. Each one is archived and deleted in its own settings. */
export function Workspaces() {
  const list = useInstanceList("workspaces", ({ query, signal }) => call.workspaces.listAsSuperadmin({ query, signal }));
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const create = useInstanceChange(list.refresh);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { change: () => call.workspaces.create({ body: { id, name } }), message: text.created(id) },
      {
        onSuccess: () => {
          setId("");
          setName("");
        },
      },
    );
  };
  return (
    <InstanceTable
      list={list}
      why={text.why}
      caption={text.caption}
      columns={[text.id, text.name, text.owner, text.archived, instanceTabsText.actions]}
      empty={{ title: text.empty, why: text.emptyWhy }}
      keyOf={(workspace) => workspace.id}
      row={(workspace) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {workspace.id}
          </Table.Th>
          <Table.Td>{workspace.name}</Table.Td>
          <Table.Td>{workspace.owner}</Table.Td>
          <Table.Td>{workspace.deleted && text.archived}</Table.Td>
          <Table.Td>
            <Link to="/w/$ws/settings/$tab" params={{ ws: workspace.id, tab: "general" }} aria-label={text.settingsOf(workspace.id)}>
              {text.settings}
            </Link>
          </Table.Td>
        </>
      )}
    >
      <form onSubmit={submit} aria-label={text.new}>
        <Group gap="xs" align="flex-end" mb="md">
          <TextInput
            label={text.id}
            description={text.idHelp}
            required
            withAsterisk={false}
            spellCheck={false}
            value={id}
            onChange={({ target }) => setId(target.value.trim())}
          />
          <TextInput
            label={text.name}
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" color="blue.8" loading={create.isPending}>
            {text.new}
          </Button>
        </Group>
      </form>
    </InstanceTable>
  );
}
