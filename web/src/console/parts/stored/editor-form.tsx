import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { Conflict } from "./conflict.tsx";
import type { Described } from "./differing-fields.ts";
import type { Editor } from "./use-editor.ts";

interface EditorFooterProps<V extends object> {
  editor: Editor<V>;
  isNew: boolean;
  /** Whether the fields can be sent. Default: they can. */
  canSave?: boolean;
  /** Describes values for the comparison of two versions. A secret is not part of it. */
  describe: (values: V) => Described;
  onClose: () => void;
}

/** The end of the form of a stored object: its refusal or its conflict, and its buttons. */
export function EditorFooter<V extends object>({ editor, isNew, canSave = true, describe, onClose }: EditorFooterProps<V>) {
  return (
    <>
      {editor.error && <Failed error={editor.error} />}
      {editor.theirs ? (
        <Conflict
          mine={describe(editor.values)}
          theirs={describe(editor.theirs)}
          onUseMine={editor.useMine}
          onUseTheirs={editor.useTheirs}
        />
      ) : (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
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
export function EditorForm<V extends object>({ children, ...footer }: EditorFooterProps<V> & { children: ReactNode }) {
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
