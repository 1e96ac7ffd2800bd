import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import type { Search } from "../../data/address.ts";
import { runsText } from "../../messages/runs.ts";
import { hasFilters } from "./query.ts";

const TYPED_MS = 300;

interface FiltersProps {
  search: Search;
  onChange: (changes: Search) => void;
  onClear: () => void;
}

export function Filters({ search, onChange, onClear }: FiltersProps) {
  const statuses = Object.entries(runsText.statuses).map(([value, label]) => ({ value, label }));
  return (
    <Group className="filters" role="search" aria-label={runsText.filters} gap="xs" align="flex-end">
      <TextFilter
        label={runsText.search}
        placeholder={runsText.searchHelp}
        value={search["search"]}
        onTyped={(text) => onChange({ search: text })}
      />
      <NativeSelect
        size="xs"
        label={runsText.status}
        value={search["status"] ?? ""}
        data={[{ value: "", label: runsText.anyStatus }, ...statuses]}
        onChange={({ target }) => onChange({ status: target.value })}
      />
      <TextFilter label={runsText.path} placeholder="f/…" value={search["path"]} onTyped={(text) => onChange({ path: text })} />
      <TextFilter label={runsText.createdBy} value={search["created_by"]} onTyped={(text) => onChange({ created_by: text })} />
      <TextFilter label={runsText.from} type="datetime-local" value={search["from"]} onTyped={(text) => onChange({ from: text })} />
      <TextFilter label={runsText.to} type="datetime-local" value={search["to"]} onTyped={(text) => onChange({ to: text })} />
      {hasFilters(search) && (
        <Button size="xs" variant="default" onClick={onClear}>
          {runsText.clear}
        </Button>
      )}
    </Group>
  );
}

interface TextFilterProps {
  label: string;
  value: string | undefined;
  placeholder?: string;
  type?: "text" | "datetime-local";
  onTyped: (text: string) => void;
}

/** A field whose text counts when the typing pauses. */
function TextFilter({ label, value = "", placeholder, type = "text", onTyped }: TextFilterProps) {
  const [text, setText] = useState(value);
  const apply = useDebouncedCallback(onTyped, TYPED_MS);
  // The address can change by a link or the back button.
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      size="xs"
      label={label}
      type={type}
      placeholder={placeholder ?? ""}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        apply(target.value);
      }}
    />
  );
}
