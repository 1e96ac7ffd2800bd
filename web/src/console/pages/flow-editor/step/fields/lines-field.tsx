import { Stack, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../../../data/objects-api.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { useTypedText } from "../../../../parts/json-field/use-typed-text.ts";
import { AddChoice } from "../add-choice.tsx";
import { useStepContext } from "../context.ts";

interface LinesFieldProps {
  label: string;
  help?: string | undefined;
  /** The names of the workspace that can be added by a choice. */
  names?: "people" | "groups" | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

const formatLines = (value: unknown) => (Array.isArray(value) ? value.join("\n") : "");
const parseLines = (written: string) => ({
  value: written
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean) as unknown,
});

/** A list of texts, one a line. */
export function LinesField({ label, help, names, value, onChange }: LinesFieldProps) {
  const typed = useTypedText({ value, format: formatLines, parse: parseLines, onChange });
  return (
    <Stack gap={4}>
      <Textarea
        label={label}
        description={help}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        value={typed.text}
        onChange={({ target }) => typed.change(target.value)}
      />
      {names && (
        <AddName
          label={label}
          names={names}
          listed={Array.isArray(value) ? value : []}
          onAdd={(name) => onChange([...(Array.isArray(value) ? value : []), name])}
        />
      )}
    </Stack>
  );
}

interface AddNameProps {
  label: string;
  names: "people" | "groups";
  listed: readonly unknown[];
  onAdd: (name: string) => void;
}

const MOST_SHOWN = 100;
const ADMINISTRATORS = "role:admin";

/** Adds a user or a group by a choice. The names are read when the choice is opened. */
function AddName({ label, names, listed, onAdd }: AddNameProps) {
  const { workspace } = useStepContext();
  const [isOpened, setIsOpened] = useState(false);
  const withPeople = names === "people";
  const users = useQuery({
    queryKey: [workspace, "usernames"],
    queryFn: ({ signal }) => call.users.listUsernames({ workspace, signal }),
    enabled: isOpened && withPeople,
  });
  const groups = useQuery({
    queryKey: [workspace, "group names"],
    queryFn: ({ signal }) => call.groups.listNames({ workspace, signal }),
    enabled: isOpened,
  });
  const found = withPeople
    ? [ADMINISTRATORS, ...(groups.data ?? []).map((name) => `g/${name}`), ...(users.data ?? []).map((name) => `u/${name}`)]
    : (groups.data ?? []);
  return (
    <AddChoice
      label={text.addTo(label)}
      placeholder={withPeople ? text.addPerson : text.addGroup}
      error={(users.error ?? groups.error)?.message}
      limit={MOST_SHOWN}
      data={found.filter((name) => !listed.includes(name))}
      onOpen={() => setIsOpened(true)}
      onAdd={onAdd}
    />
  );
}
