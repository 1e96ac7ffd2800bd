import { Select, type SelectProps } from "@mantine/core";
import { useState } from "react";
import { stepText as text } from "../../../messages/editor/step.ts";

interface AddChoiceProps extends Required<Pick<SelectProps, "placeholder" | "limit" | "data">> {
  label: string;
  error: string | undefined;
  onOpen: () => void;
  onAdd: (value: string) => void;
}

/** A choice that adds a value elsewhere, and is then ready for the next one. */
export function AddChoice({ label, onOpen, onAdd, ...props }: AddChoiceProps) {
  const [typed, setTyped] = useState("");
  return (
    <Select
      {...props}
      size="xs"
      aria-label={label}
      searchable
      nothingFoundMessage={text.nothingFound}
      value={null}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={onOpen}
      onChange={(value) => {
        setTyped("");
        if (value !== null) onAdd(value);
      }}
    />
  );
}
