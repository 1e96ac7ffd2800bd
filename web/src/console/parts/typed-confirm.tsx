import { Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Refused } from "../../shared/service.ts";
import { workspaceSettingsText } from "../messages/objects/workspace-settings.ts";
import { Confirm } from "./confirm.tsx";

interface TypedConfirmProps {
  title: string;
  action: string;
  /** The text that the user must enter. */
  name: string;
  isBusy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** Names what is lost. */
  children: ReactNode;
}

const text = workspaceSettingsText.typed;

/** Asks for the name of an object before it is lost for good. */
export function TypedConfirm({ name, error, onConfirm, children, ...dialog }: TypedConfirmProps) {
  const [typed, setTyped] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  return (
    <Confirm
      isOpen
      {...dialog}
      error={error instanceof Refused ? error : null}
      onConfirm={() => {
        setIsWrong(typed !== name);
        if (typed === name) onConfirm();
      }}
    >
      <Text>{children}</Text>
      <TextInput
        data-autofocus
        label={text.label(name)}
        error={isWrong && text.label(name)}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Confirm>
  );
}
