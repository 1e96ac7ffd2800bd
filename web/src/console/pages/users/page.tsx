import "../../parts/stored/stored.css";
import { Button, Group, NativeSelect, Switch, Table, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { MemberChange } from "../../../../../contract/routes/people/members.ts";
import type { UserJson } from "../../../../../contract/routes/people/people.ts";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Panel } from "../../frame/panel.tsx";
import { peopleText, usersText as text } from "../../messages/objects/people.ts";
import { ExplainAccess } from "../../parts/people/explain-access.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { RemovalConsequences } from "./consequences.tsx";
import { newUser, type Role, roleOf, rolesOf } from "./role.ts";
import { UserForm } from "./user-form.tsx";

const roles = Object.entries(text.roles).map(([value, label]) => ({ value, label }));

/** Lists the users of a workspace. Administrators add them, change their roles and remove them. */
export default function UsersPage() {
  const list = useStoredList({
    name: "users",
    load: ({ workspace, signal }) => call.users.list({ workspace, signal }),
    isWhole: true,
    textsOf: ({ username, email, name }) => [username, email, name],
    related: ["invites"],
  });
  const { workspace, member, search } = list;
  const refresh = () => void list.refresh();
  const mayChange = isOffered("users.update", member);
  return (
    <StoredPage
      text={text}
      guide="permissions"
      list={list}
      mayCreate={isOffered("workspaces.addUser", member)}
      columns={[text.username, text.email, text.role, text.groups, text.disabled]}
      hasActions={mayChange}
      consequences={(username) => <RemovalConsequences workspace={workspace} username={username} />}
      remove={(username) => call.users.delete({ workspace, username })}
      keyOf={({ username }) => username}
      row={(user) => (
        <Row
          workspace={workspace}
          user={user}
          hasActions={mayChange}
          // Administrators do not lock themselves out.
          mayChange={mayChange && user.username !== member.username}
          onChanged={refresh}
          onRemove={
            isOffered("users.delete", member) && user.username !== member.username ? () => list.askToDelete(user.username) : undefined
          }
        />
      )}
    >
      {mayChange && <Invites workspace={workspace} onChanged={refresh} />}
      <ExplainAccess workspace={workspace} username={member.username} />
      <EditorDialog
        search={{ ...search, edited: undefined }}
        mayEdit={isOffered("workspaces.addUser", member)}
        newTitle={text.new}
        blank={newUser}
        load={async () => ({ values: newUser })}
      >
        {(loaded) => (
          <UserForm
            workspace={workspace}
            loaded={loaded}
            onSaved={(message) => {
              notifications.show({ message });
              search.closeEditor();
              refresh();
            }}
            onClose={search.closeEditor}
          />
        )}
      </EditorDialog>
    </StoredPage>
  );
}

interface RowProps {
  workspace: string;
  user: UserJson;
  hasActions: boolean;
  mayChange: boolean;
  onChanged: () => void;
  onRemove: (() => void) | undefined;
}

function Row({ workspace, user, hasActions, mayChange, onChanged, onRemove }: RowProps) {
  const { username, email, name, groups = [], disabled } = user;
  const change = useMutation({
    mutationFn: (body: MemberChange) => call.users.update({ workspace, username, body }),
    onSuccess: () => {
      notifications.show({ message: text.changed(username) });
      onChanged();
    },
    onError: ({ message }) => notifications.show({ message }),
  });
  return (
    <>
      <Table.Th scope="row" className="stored-path">
        {username}
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      </Table.Th>
      <Table.Td>{email}</Table.Td>
      <Table.Td>
        {mayChange ? (
          <NativeSelect
            size="xs"
            aria-label={text.roleOf(username)}
            data={roles}
            value={roleOf(user)}
            disabled={change.isPending}
            onChange={({ target }) => change.mutate(rolesOf(target.value as Role))}
          />
        ) : (
          text.roles[roleOf(user)]
        )}
      </Table.Td>
      <Table.Td>
        <span className="stored-description">{groups.join(", ")}</span>
      </Table.Td>
      <Table.Td>
        {mayChange ? (
          <Switch
            aria-label={text.disabledOf(username)}
            checked={disabled}
            disabled={change.isPending}
            onChange={({ target }) => change.mutate({ disabled: target.checked })}
          />
        ) : (
          disabled && text.disabled
        )}
      </Table.Td>
      {hasActions && (
        <Table.Td>
          <RowActions path={username} onEdit={undefined} onDelete={undefined}>
            {onRemove && (
              <Button size="compact-sm" variant="default" aria-label={peopleText.removeOf(username)} onClick={onRemove}>
                {peopleText.remove}
              </Button>
            )}
          </RowActions>
        </Table.Td>
      )}
    </>
  );
}

/** The invitations that were not accepted yet. */
function Invites({ workspace, onChanged }: { workspace: string; onChanged: () => void }) {
  const invites = useQuery({
    queryKey: [workspace, "invites"],
    queryFn: ({ signal }) => call.workspaces.listPendingInvites({ workspace, signal }),
  });
  const withdraw = useMutation({
    mutationFn: (email: string) => call.workspaces.deleteInvite({ workspace, body: { email } }),
    onSuccess: onChanged,
    onError: ({ message }) => notifications.show({ message }),
  });
  return (
    <section aria-label={text.invites}>
      <Title order={2} size="h5" mt="lg" mb="xs">
        {text.invites}
      </Title>
      <Panel query={invites} guide="permissions" isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{text.noInvites}</Text>}>
        {(found) => (
          <ul className="plain-list">
            {found.map((invite) => (
              <li key={invite.email}>
                <Group gap="xs">
                  <span>{invite.email}</span>
                  <span className="mark">{text.roles[roleOf(invite)]}</span>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={peopleText.removeOf(invite.email)}
                    loading={withdraw.isPending && withdraw.variables === invite.email}
                    onClick={() => withdraw.mutate(invite.email)}
                  >
                    {peopleText.remove}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </section>
  );
}
