import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { call } from "../../data/objects-api.ts";
import { usersText as text } from "../../messages/objects/people.ts";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { type Role, rolesOf, type UserValues } from "./role.ts";

interface UserFormProps {
  workspace: string;
  loaded: Loaded<UserValues>;
  /** Receives the sentence that reports the outcome. */
  onSaved: (message: string) => void;
  onClose: () => void;
}

const roles = Object.entries(text.roles).map(([value, label]) => ({ value, label }));

/** Adds a user to a workspace, or sends an invitation. */
export function UserForm({ workspace, loaded, onSaved, onClose }: UserFormProps) {
  const editor = useEditor({
    form: ["user", undefined],
    loaded,
    keepable: (typed) => typed,
    fields: [],
    reload: async () => loaded,
    save: ({ email, username, role, isInvited }) => {
      const body = { email: email.trim(), username: username.trim() || null, ...rolesOf(role) };
      return isInvited ? call.workspaces.inviteUser({ workspace, body }) : call.workspaces.addUser({ workspace, body });
    },
    onSaved: ({ email, isInvited }) => onSaved(isInvited ? text.invited(email) : text.added(email)),
  });
  const { values, change } = editor;
  return (
    <EditorForm editor={editor} isNew onClose={onClose}>
      <TextInput
        data-autofocus
        type="email"
        label={text.email}
        required
        withAsterisk={false}
        maxLength={320}
        value={values.email}
        onChange={({ target }) => change({ email: target.value })}
      />
      <TextInput
        label={text.username}
        description={text.usernameHelp}
        maxLength={100}
        spellCheck={false}
        value={values.username}
        onChange={({ target }) => change({ username: target.value })}
      />
      <NativeSelect
        label={text.role}
        description={text.rolesWhy}
        data={roles}
        value={values.role}
        onChange={({ target }) => change({ role: target.value as Role })}
      />
      <Checkbox label={text.invite} checked={values.isInvited} onChange={({ target }) => change({ isInvited: target.checked })} />
    </EditorForm>
  );
}
