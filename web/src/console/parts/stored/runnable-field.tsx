import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/objects-api.ts";
import { schedulesText as text } from "../../messages/objects/schedules.ts";
import { type ChosenRunnable, formatRunnable, parseRunnable } from "./runnable-path.ts";

const TYPED_MS = 250;
const MOST_SHOWN = 50;
/** The service searches for texts of at least two characters. */
const SHORTEST = 2;

interface RunnableFieldProps {
  workspace: string;
  value: ChosenRunnable | undefined;
  onChange: (chosen: ChosenRunnable | undefined) => void;
  /** Default: the script or flow that an object runs, which is required. */
  label?: string;
  help?: string;
  isOptional?: boolean;
}

/** Chooses a script or a flow by a part of its path or its summary. */
export function RunnableField({
  workspace,
  value,
  onChange,
  label = text.runnable,
  help = text.runnableHelp,
  isOptional = false,
}: RunnableFieldProps) {
  const [typed, setTyped] = useState(value?.path ?? "");
  const [sought] = useDebouncedValue(typed.trim(), TYPED_MS);
  const q = sought.length < SHORTEST || sought === value?.path ? undefined : sought;
  const found = useQuery({
    queryKey: [workspace, "runnables", q],
    queryFn: ({ signal }) => call.search.list({ workspace, query: { q, kinds: "script,flow", per_page: MOST_SHOWN }, signal }),
  });
  const offered = (found.data ?? []).flatMap(({ kind, path, summary }) =>
    kind === "script" || kind === "flow"
      ? [{ value: formatRunnable({ kind, path }), label: `${text.kindOf[kind]} ${path}${summary ? ` – ${summary}` : ""}` }]
      : [],
  );
  const chosen = value && formatRunnable(value);
  const isListed = offered.some((option) => option.value === chosen);
  const current = value && !isListed ? [{ value: formatRunnable(value), label: `${text.kindOf[value.kind]} ${value.path}` }] : [];
  return (
    <Select
      label={label}
      description={help}
      error={found.error?.message}
      nothingFoundMessage={text.noRunnable}
      searchable
      required={!isOptional}
      clearable={isOptional}
      clearButtonProps={{ "aria-label": text.clearRunnable(label) }}
      withAsterisk={false}
      // The service has filtered them.
      filter={({ options }) => options}
      data={[...current, ...offered]}
      value={chosen ?? null}
      onSearchChange={setTyped}
      onChange={(key) => onChange(parseRunnable(key ?? undefined))}
    />
  );
}

interface HandlerFieldProps extends Pick<RunnableFieldProps, "workspace" | "label" | "help"> {
  /** The stored form, such as `script/f/ops/notify`. Empty: none. */
  value: string;
  onChange: (value: string) => void;
}

/** Chooses the script or flow that handles the outcome of runs. It can be left empty. */
export const HandlerField = ({ value, onChange, ...props }: HandlerFieldProps) => (
  <RunnableField {...props} isOptional value={parseRunnable(value)} onChange={(chosen) => onChange(chosen ? formatRunnable(chosen) : "")} />
);
