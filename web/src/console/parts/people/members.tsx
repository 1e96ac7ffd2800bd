import { Button, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { peopleText as text } from "../../messages/objects/people.ts";
import { PrincipalField } from "./principal-field.tsx";

export type Right = keyof typeof text.rights;

export interface MemberOf {
  /** `u/<name>` or `g/<name>`, or the name of a user in a group. */
  name: string;
  /** Absent in a group. */
  right?: Right;
}

interface MembersProps {
  workspace: string;
  members: readonly MemberOf[];
  /** The permissions that a member can get. Absent: members have none. */
  rights?: readonly Right[];
  /** The text of an empty list. */
  empty?: string;
  /** Default: the user may add and remove members. */
  mayChange?: boolean;
  add: (name: string, right: Right) => Promise<unknown>;
  remove: (member: MemberOf) => Promise<unknown>;
  onChanged: () => Promise<unknown>;
}

/** Lists the members of a folder or a group. Each change is saved at once. */
export function Members({
  workspace,
  members,
  rights = [],
  empty = text.noMembers,
  mayChange = true,
  add,
  remove,
  onChanged,
}: MembersProps) {
  const [name, setName] = useState("");
  const [right, setRight] = useState<Right>(rights.at(-1) ?? "read");
  const adding = useMutation({
    mutationFn: () => add(name, right),
    onSuccess: async () => {
      notifications.show({ message: text.added(name) });
      setName("");
      await onChanged();
    },
  });
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async (_, member) => {
      notifications.show({ message: text.removed(member.name) });
      await onChanged();
    },
  });
  const error = adding.error ?? removing.error;
  return (
    <section aria-label={text.members}>
      <Title order={3} size="h6" mt="md" mb="xs">
        {text.members}
      </Title>
      {members.length === 0 ? (
        <Text c="dimmed">{empty}</Text>
      ) : (
        <ul className="plain-list">
          {members.map((member) => (
            <li key={`${member.name} ${member.right}`}>
              <Group gap="xs" justify="space-between">
                <span>
                  {member.name} {member.right && <span className="mark">{text.rights[member.right]}</span>}
                </span>
                {mayChange && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={text.removeOf(member.name)}
                    loading={removing.isPending && removing.variables.name === member.name}
                    onClick={() => removing.mutate(member)}
                  >
                    {text.remove}
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </ul>
      )}
      {error && <Failed error={error} />}
      {mayChange && (
        <Group align="flex-end" gap="xs" mt="sm">
          <PrincipalField workspace={workspace} withGroups={rights.length > 0} value={name} onChange={setName} />
          {rights.length > 0 && (
            <NativeSelect
              label={text.right}
              data={rights.map((value) => ({ value, label: text.rights[value] }))}
              value={right}
              onChange={({ target }) => setRight(target.value as Right)}
            />
          )}
          <Button variant="default" disabled={name === ""} loading={adding.isPending} onClick={() => adding.mutate()}>
            {text.addMember}
          </Button>
        </Group>
      )}
    </section>
  );
}
