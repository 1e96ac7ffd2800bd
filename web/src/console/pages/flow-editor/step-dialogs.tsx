import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { idsOf } from "./document/edit.ts";
import { idProblem } from "./document/fresh-id.ts";
import { type FlowEditor, readSteps } from "./use-flow-editor.ts";

interface DialogProps {
  editor: FlowEditor;
  onClose: () => void;
}

/** Renames a step with all references to it. */
export function RenameDialog({ editor, id, onClose }: DialogProps & { id: string }) {
  const [typed, setTyped] = useState(id);
  const taken = idsOf(editor.value);
  taken.delete(id);
  const problem = idProblem(typed, taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    if (typed !== id) editor.rename(id, typed);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={text.rename}>
      <form onSubmit={submit}>
        <Stack>
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
          <Buttons action={text.save} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Adds steps from a text, where the browser gives no access to its clipboard. */
export function PasteDialog({ editor, onClose }: DialogProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readSteps(typed);
    if ("problem" in read) {
      setProblem(read.problem.reason);
      return;
    }
    editor.addAfter(editor.current, read.modules);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={text.paste}>
      <form onSubmit={submit}>
        <Stack>
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
          <Buttons action={text.add} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

const Buttons = ({ action, onClose }: { action: string; onClose: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {text.cancel}
    </Button>
    <Button type="submit">{action}</Button>
  </Group>
);
