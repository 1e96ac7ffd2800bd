import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { renameProblem } from "./document/edit.ts";
import { Unfollowed } from "./unfollowed.tsx";
import { type FlowEditor, readSteps } from "./use-flow-editor.ts";

interface DialogProps {
  editor: FlowEditor;
  onClose: () => void;
}

/** Renames a step with all references to it. */
export function RenameDialog({ editor, id, onClose }: DialogProps & { id: string }) {
  const [typed, setTyped] = useState(id);
  const problem = renameProblem(editor.value, id, typed);
  const submit = () => {
    if (problem) return;
    if (typed !== id) editor.rename(id, typed);
    onClose();
  };
  return (
    <FormDialog title={text.rename} action={text.save} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        label={text.id}
        description={text.idHelp}
        error={problem && text.idProblems[problem]}
        spellCheck={false}
        autoComplete="off"
        maxLength={80}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Unfollowed flow={editor.value} id={id} />
    </FormDialog>
  );
}

/** Adds steps from a text, where the browser gives no access to its clipboard. */
export function PasteDialog({ editor, onClose }: DialogProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const submit = () => {
    const read = readSteps(typed);
    if ("problem" in read) {
      setProblem(read.problem.reason);
      return;
    }
    editor.addAfter(editor.current, read.modules);
    onClose();
  };
  return (
    <FormDialog title={text.paste} action={text.add} onSubmit={submit} onClose={onClose}>
      <Textarea
        data-autofocus
        label={text.pasteField}
        description={text.pasteHelp}
        error={problem}
        rows={10}
        spellCheck={false}
        classNames={{ input: "code-input" }}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </FormDialog>
  );
}

interface FormDialogProps {
  title: string;
  /** The name of the button that submits the form. */
  action: string;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

const FormDialog = ({ title, action, onSubmit, onClose, children }: FormDialogProps) => (
  <Modal opened onClose={onClose} title={title}>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit">{action}</Button>
        </Group>
      </Stack>
    </form>
  </Modal>
);
