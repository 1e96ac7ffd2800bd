import { Button, Group, NativeSelect, Table, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { InstanceGroupJson } from "../../../../../contract/routes/people/people.ts";
import { call } from "../../data/objects-api.ts";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { DeleteButton, InstanceTable, useInstanceChange, useInstanceList } from "./instance-table.tsx";

const text = instanceTabsText.groups;
const roles = Object.entries(text.roles).map(([value, label]) => ({ value, label }));

/** The groups of the instance. Each change is saved at once. */
export function InstanceGroups() {
  // The service returns them as a whole.
  const list = useInstanceList("groups", ({ query: { page }, signal }) =>
    page === 1 ? call.instanceGroups.list({ signal }) : Promise.resolve([]),
  );
  const change = useInstanceChange(list.refresh);
  const [values, setValues] = useState({ name: "", summary: "", role: "user" });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, summary, role } = values;
    const body = { name, summary, ...(role === "superadmin" ? { instance_role: "superadmin" as const } : {}) };
    change.mutate(
      { change: () => call.instanceGroups.create({ body }), message: text.created(name) },
      { onSuccess: () => setValues({ name: "", summary: "", role: "user" }) },
    );
  };
  return (
    <InstanceTable
      list={list}
      why={text.why}
      caption={text.caption}
      columns={[text.name, text.summary, text.role, text.members, instanceTabsText.actions]}
      empty={{ title: text.empty, why: text.emptyWhy }}
      keyOf={({ name }) => name}
      row={(group, askToDelete) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {group.name}
          </Table.Th>
          <Table.Td>{group.summary}</Table.Td>
          <Table.Td>{group.instance_role === "superadmin" ? text.roles.superadmin : text.roles.user}</Table.Td>
          <Table.Td>
            <GroupMembers group={group} onChanged={list.refresh} />
          </Table.Td>
          <Table.Td>
            <DeleteButton name={group.name} onClick={askToDelete} />
          </Table.Td>
        </>
      )}
      deletion={{ why: text.deleteWhy, remove: (name) => call.instanceGroups.delete({ name }) }}
    >
      <form onSubmit={submit} aria-label={text.new}>
        <Group gap="xs" align="flex-end" mb="md">
          <TextInput
            label={text.name}
            required
            withAsterisk={false}
            pattern="[A-Za-z0-9_\-]{1,100}"
            spellCheck={false}
            value={values.name}
            onChange={({ target }) => setValues({ ...values, name: target.value.trim() })}
          />
          <TextInput
            label={text.summary}
            maxLength={1000}
            value={values.summary}
            onChange={({ target }) => setValues({ ...values, summary: target.value })}
          />
          <NativeSelect
            label={text.role}
            data={roles}
            value={values.role}
            onChange={({ target }) => setValues({ ...values, role: target.value })}
          />
          <Button type="submit" color="blue.8" loading={change.isPending}>
            {text.new}
          </Button>
        </Group>
      </form>
    </InstanceTable>
  );
}

function GroupMembers({ group: { name, emails = [] }, onChanged }: { group: InstanceGroupJson; onChanged: () => Promise<unknown> }) {
  const [email, setEmail] = useState("");
  const change = useInstanceChange(onChanged);
  const add = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { change: () => call.instanceGroups.addUser({ name, body: { email } }), message: text.addTo(name) },
      { onSuccess: () => setEmail("") },
    );
  };
  return (
    <>
      <ul className="plain-list">
        {emails.map((each) => (
          <li key={each}>
            <Group gap="xs">
              {each}
              <Button
                size="compact-xs"
                variant="default"
                aria-label={text.removeFrom(each, name)}
                onClick={() =>
                  change.mutate({
                    change: () => call.instanceGroups.removeUser({ name, body: { email: each } }),
                    message: text.removeFrom(each, name),
                  })
                }
              >
                {text.remove}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      <form onSubmit={add}>
        <Group gap="xs">
          <TextInput
            size="xs"
            type="email"
            aria-label={`${text.member}: ${name}`}
            placeholder={text.member}
            required
            value={email}
            onChange={({ target }) => setEmail(target.value.trim())}
          />
          <Button type="submit" size="compact-sm" variant="default" aria-label={text.addTo(name)} loading={change.isPending}>
            {text.add}
          </Button>
        </Group>
      </form>
    </>
  );
}
