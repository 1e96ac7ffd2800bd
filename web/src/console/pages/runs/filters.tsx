import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import type { Search } from "../../data/address.ts";
import { runsText } from "../../messages/runs.ts";
import { toLocalTime } from "../../parts/local-time.ts";
import { hasFilters } from "./query.ts";

const TYPED_MS = 300;

interface FiltersProps {
  search: Search;
  onChange: (changes: Search) => void;
  onClear: () => void;
}

const options = (texts: Readonly<Record<string, string>>, none: string) => [
  { value: "", label: none },
  ...Object.entries(texts).map(([value, label]) => ({ value, label })),
];

export function Filters({ search, onChange, onClear }: FiltersProps) {
  const [showsMore, setShowsMore] = useState(Boolean(search["trigger"] || search["label"] || search["args"]));
  const text = (name: string, label: string, placeholder = "") => (
    <TextFilter label={label} placeholder={placeholder} value={search[name]} onTyped={(typed) => onChange({ [name]: typed })} />
  );
  const time = (name: "from" | "to", label: string) => (
    <TextFilter
      label={label}
      type="datetime-local"
      value={search[name]}
      onTyped={(typed) => onChange({ [name]: typed, range: undefined })}
    />
  );
  return (
    <search aria-label={runsText.filters}>
      <Group className="filters" gap="xs" align="flex-end">
        {text("search", runsText.search, runsText.searchHelp)}
        <NativeSelect
          size="xs"
          label={runsText.status}
          value={search["status"] ?? ""}
          data={options(runsText.statuses, runsText.anyStatus)}
          onChange={({ target }) => onChange({ status: target.value })}
        />
        {text("path", runsText.path, "f/…")}
        {text("created_by", runsText.createdBy)}
        <NativeSelect
          size="xs"
          label={runsText.range}
          value={search["range"] ?? ""}
          data={options(runsText.ranges, runsText.anyTime)}
          onChange={({ target }) => onChange({ range: target.value, from: undefined, to: undefined })}
        />
        {time("from", runsText.from)}
        {time("to", runsText.to)}
        <Button size="xs" variant="default" aria-expanded={showsMore} onClick={() => setShowsMore(!showsMore)}>
          {runsText.moreFilters}
        </Button>
        {hasFilters(search) && (
          <Button size="xs" variant="default" onClick={onClear}>
            {runsText.clear}
          </Button>
        )}
      </Group>
      {showsMore && (
        <Group className="filters" gap="xs" mt="xs" align="flex-end">
          <NativeSelect
            size="xs"
            label={runsText.trigger}
            value={search["trigger"] ?? ""}
            data={options(runsText.triggers, runsText.anyTrigger)}
            onChange={({ target }) => onChange({ trigger: target.value })}
          />
          {text("label", runsText.label)}
          {text("args", runsText.args, runsText.argsHelp)}
        </Group>
      )}
    </search>
  );
}

interface TextFilterProps {
  label: string;
  value: string | undefined;
  placeholder?: string;
  type?: "text" | "datetime-local";
  onTyped: (text: string) => void;
}

/** A time of the address, in the form of a field for local times. */
function toLocal(value: string): string {
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) || !/[Zz]|[+-]\d\d:\d\d$/.test(value) ? value : toLocalTime(atMs);
}

/** A field whose text counts when the typing pauses. */
function TextFilter({ label, value = "", placeholder, type = "text", onTyped }: TextFilterProps) {
  const shown = type === "text" ? value : toLocal(value);
  const [text, setText] = useState(shown);
  const apply = useDebouncedCallback(onTyped, TYPED_MS);
  // The address can change by a link or the back button.
  useEffect(() => setText(shown), [shown]);
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
