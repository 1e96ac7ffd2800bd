import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, Fragment, type ReactNode } from "react";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { DraftNote } from "../../parts/draft/draft-note.tsx";
import { Conflict } from "../../parts/stored/conflict.tsx";
import type { Editor } from "../../parts/stored/use-editor.ts";

interface SettingFormProps {
  editor: Editor;
  canSave?: boolean;
  /** Further buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The form of settings that are saved together, with its draft, its refusal or its conflict. */
export function SettingForm({ editor, canSave = true, actions, children }: SettingFormProps) {
  const { conflict } = editor;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        {/* Fields that hold a typed text begin again with other values. */}
        <Fragment key={editor.formKey}>{children}</Fragment>
        {editor.error && <Failed error={editor.error} />}
        {editor.isRestored && !conflict && <DraftNote text={storedText.restored} onDiscard={editor.discard} />}
        {conflict ? (
          <Conflict fields={conflict.fields} onChoose={conflict.choose} onUseTheirs={conflict.useTheirs} />
        ) : (
          <Group gap="xs">
            <Button type="submit" color="blue.8" loading={editor.isSaving} disabled={!canSave}>
              {frameText.save}
            </Button>
            {actions}
          </Group>
        )}
      </Stack>
    </form>
  );
}
