import { Group, NativeSelect } from "@mantine/core";
import type { Search } from "../../../data/address.ts";
import { moreFiltersText as text } from "../../../messages/filters/more-filters.ts";
import { triggers } from "../../../messages/runs.ts";
import { TextFilter } from "../../../parts/text-filter.tsx";
import { toOptions } from "./options.ts";

interface MoreFiltersProps {
  search: Search;
  onChange: (changes: Search) => void;
}

/** The fields of the filters that are needed less often. */
export default function MoreFilters({ search, onChange }: MoreFiltersProps) {
  return (
    <Group className="filters" gap="xs" mt="xs" align="flex-end">
      <NativeSelect
        size="xs"
        label={text.trigger}
        value={search["trigger"] ?? ""}
        data={toOptions(triggers, text.anyTrigger)}
        onChange={({ target }) => onChange({ trigger: target.value })}
      />
      {text.fields.map(([name, label, placeholder]) => (
        <TextFilter
          key={name}
          label={label}
          placeholder={placeholder}
          value={search[name]}
          onTyped={(typed) => onChange({ [name]: typed })}
        />
      ))}
    </Group>
  );
}
