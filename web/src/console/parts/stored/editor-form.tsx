import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { DraftNote } from "../draft/draft-note.tsx";
import { Conflict } from "./conflict/conflict.tsx";
import type { Editor } from "./use-editor.ts";

interface EditorFooterProps {
  editor: Editor;
  isNew: boolean;
  /** Whether the fields can be sent. Default: they can. */
  canSave?: boolean;
  onClose: () => void;
}

/** The end of the form of a stored object: its draft, its refusal or its conflict, and its buttons. */
export function EditorFooter({ editor, isNew, canSave = true, onClose }: EditorFooterProps) {
  const { conflict } = editor;
  return (
    <>
      {editor.error && <Failed error={editor.error} />}
      {editor.isRestored && !conflict && <DraftNote text={storedText.restored} onDiscard={editor.discard} />}
      {conflict ? (
        <Conflict {...conflict} />
      ) : (
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              editor.forget();
              onClose();
            }}
          >
            {frameText.cancel}
          </Button>
          <Button type="submit" color="blue.8" loading={editor.isSaving} disabled={!canSave}>
            {isNew ? frameText.create : frameText.save}
          </Button>
        </Group>
      )}
    </>
  );
}

/** The form of a stored object. */
export function EditorForm({ children, ...footer }: EditorFooterProps & { children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    footer.editor.save();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <EditorFooter {...footer} />
      </Stack>
    </form>
  );
}
