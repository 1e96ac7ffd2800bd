import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, Fragment, type ReactNode } from "react";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { DraftNote } from "../draft/draft-note.tsx";
import { Conflict } from "../stored/conflict/conflict.tsx";
import type { Editor } from "../stored/use-editor.ts";

interface SettingFormProps {
  editor: Editor;
  canSave?: boolean;
  /** The accessible name of the button that saves, on a page with several forms. */
  saveLabel?: string;
  /** The failure of another action. */
  otherError?: Error | null;
  /** Further buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The form of settings that are saved together, with its draft, its refusal or its conflict. */
export function SettingForm({ editor, canSave = true, saveLabel, otherError, actions, children }: SettingFormProps) {
  const { conflict } = editor;
  const error = editor.error ?? otherError;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        {/* Fields that hold a typed text begin again with other values. */}
        <Fragment key={editor.formKey}>{children}</Fragment>
        {error && <Failed error={error} />}
        {editor.isRestored && !conflict && <DraftNote text={storedText.restored} onDiscard={editor.discard} />}
        {conflict ? (
          <Conflict {...conflict} />
        ) : (
          <Group gap="xs">
            <Button
              type="submit"
              {...(saveLabel === undefined ? { color: "blue.8" } : { variant: "default", size: "xs", "aria-label": saveLabel })}
              loading={editor.isSaving}
              disabled={!canSave}
            >
              {frameText.save}
            </Button>
            {actions}
          </Group>
        )}
      </Stack>
    </form>
  );
}
