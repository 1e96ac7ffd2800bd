import { Button, Group, NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Search } from "../../data/address.ts";
import { runsText } from "../../messages/runs.ts";
import { TextFilter } from "../../parts/text-filter.tsx";
import { hasFilters } from "./query.ts";

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
