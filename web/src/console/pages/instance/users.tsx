import { Button, Checkbox, Group, Switch, Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { GlobalUserJson } from "../../../../../contract/routes/people/people.ts";
import { meQuery } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { DeleteButton, InstanceTable, useInstanceChange, useInstanceList } from "./instance-table.tsx";

const text = instanceTabsText.users;

/** Everyone who may sign in. */
export function Users() {
  const me = useQuery(meQuery);
  const list = useInstanceList("users", ({ query, signal }) => call.users.listGlobal({ query, signal }));
  const change = useInstanceChange(list.refresh);
  const row = (user: GlobalUserJson, askToDelete: () => void) => {
    const { email, name, super_admin, role_source, disabled } = user;
    // Superadmins do not lock themselves out.
    const isSelf = email === me.data?.email;
    const save = (body: { is_super_admin?: boolean; disabled?: boolean }) =>
      change.mutate({ change: () => call.users.updateGlobal({ email, body }), message: text.changed(email) });
    return (
      <>
        <Table.Th scope="row" className="stored-path">
          {email}
          <Text size="sm" c="dimmed">
            {name}
          </Text>
        </Table.Th>
        <Table.Td>
          <Switch
            aria-label={text.superadminOf(email)}
            checked={super_admin}
            disabled={isSelf || role_source === "instance_group" || change.isPending}
            onChange={({ target }) => save({ is_super_admin: target.checked })}
          />
          {role_source === "instance_group" && <Text size="sm">{text.fromGroup}</Text>}
        </Table.Td>
        <Table.Td>
          <Switch
            aria-label={text.disabledOf(email)}
            checked={disabled}
            disabled={isSelf || change.isPending}
            onChange={({ target }) => save({ disabled: target.checked })}
          />
        </Table.Td>
        <Table.Td>{!isSelf && <DeleteButton name={email} onClick={askToDelete} />}</Table.Td>
      </>
    );
  };
  return (
    <InstanceTable
      list={list}
      why={text.why}
      caption={text.caption}
      columns={[text.email, text.superadmin, text.disabled, instanceTabsText.actions]}
      empty={{ title: text.caption, why: text.why }}
      keyOf={({ email }) => email}
      row={row}
      deletion={{ why: text.deleteWhy, remove: (email) => call.users.deleteGlobal({ email }) }}
    >
      <NewUser onCreated={list.refresh} />
    </InstanceTable>
  );
}

const blank = { email: "", name: "", password: "", isSuperadmin: false };

function NewUser({ onCreated }: { onCreated: () => Promise<unknown> }) {
  const [values, setValues] = useState(blank);
  const create = useInstanceChange(onCreated);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { email, name, password, isSuperadmin } = values;
    const body = { email, name: name || null, password: password || null, super_admin: isSuperadmin };
    create.mutate({ change: () => call.users.createGlobal({ body }), message: text.created(email) }, { onSuccess: () => setValues(blank) });
  };
  return (
    <form onSubmit={submit} aria-label={text.new}>
      <Group gap="xs" align="flex-end" mb="md">
        <TextInput
          type="email"
          label={text.email}
          required
          withAsterisk={false}
          autoComplete="off"
          value={values.email}
          onChange={({ target }) => setValues({ ...values, email: target.value.trim() })}
        />
        <TextInput
          label={text.name}
          maxLength={200}
          value={values.name}
          onChange={({ target }) => setValues({ ...values, name: target.value })}
        />
        <TextInput
          type="password"
          label={text.password}
          description={text.passwordHelp}
          autoComplete="new-password"
          value={values.password}
          onChange={({ target }) => setValues({ ...values, password: target.value })}
        />
        <Checkbox
          label={text.superadmin}
          checked={values.isSuperadmin}
          onChange={({ target }) => setValues({ ...values, isSuperadmin: target.checked })}
        />
        <Button type="submit" color="blue.8" loading={create.isPending}>
          {text.new}
        </Button>
      </Group>
    </form>
  );
}
