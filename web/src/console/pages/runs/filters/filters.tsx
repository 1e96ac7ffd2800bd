import { Button, Group, NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Search } from "../../../data/address.ts";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { runsText } from "../../../messages/runs.ts";
import { TextFilter } from "../../../parts/text-filter.tsx";
import { countFilters, hasMoreFilters } from "../query.ts";
import { toOptions } from "./options.ts";

const MoreFilters = loadOnDemand(() => import("./more-filters.tsx"), null);

interface FiltersProps {
  search: Search;
  onChange: (changes: Search) => void;
  onClear: () => void;
}

/** The fields are folded on a small screen, behind a button with the number of filters that are set. */
export function Filters({ search, onChange, onClear }: FiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  // Opened by its button, or by a filter that a link or the chart has set.
  const [opensMore, setOpensMore] = useState<boolean>();
  const showsMore = opensMore ?? hasMoreFilters(search);
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
  const count = countFilters(search);
  const clear = count > 0 && (
    <Button size="xs" variant="default" onClick={onClear}>
      {runsText.clear}
    </Button>
  );
  return (
    <search aria-label={runsText.filters} className="run-filters" data-open={isOpen}>
      <Group className="filters-folded" gap="xs">
        <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {runsText.openFilters(count)}
        </Button>
        {clear}
      </Group>
      <Group className="filters" gap="xs" align="flex-end">
        {text("search", runsText.search, runsText.searchHelp)}
        <NativeSelect
          size="xs"
          label={runsText.status}
          value={search["status"] ?? ""}
          data={toOptions(runsText.statuses, runsText.anyStatus)}
          onChange={({ target }) => onChange({ status: target.value })}
        />
        {text("path", runsText.path, "f/…")}
        {text("created_by", runsText.createdBy)}
        <NativeSelect
          size="xs"
          label={runsText.range}
          value={search["range"] ?? ""}
          data={toOptions(runsText.ranges, runsText.anyTime)}
          onChange={({ target }) => onChange({ range: target.value, from: undefined, to: undefined })}
        />
        {time("from", runsText.from)}
        {time("to", runsText.to)}
        <Button size="xs" variant="default" aria-expanded={showsMore} onClick={() => setOpensMore(!showsMore)}>
          {runsText.moreFilters}
        </Button>
        <span className="filters-clear">{clear}</span>
      </Group>
      {showsMore && <MoreFilters search={search} onChange={onChange} />}
    </search>
  );
}
