import { MultiSelect } from "@mantine/core";
import { webhooksText } from "../../messages/webhooks.ts";
import { type WorkspaceEventType, workspaceEventGroups } from "./event-types.ts";

interface EventTypesFieldProps {
  value: readonly string[];
  onChange: (types: WorkspaceEventType[]) => void;
}

/** Chooses types of events. No choice means all types. */
export function EventTypesField({ value, onChange }: EventTypesFieldProps) {
  return (
    <MultiSelect
      label={webhooksText.eventTypes}
      description={webhooksText.eventTypesHelp}
      placeholder={value.length === 0 ? webhooksText.allTypes : ""}
      data={workspaceEventGroups}
      value={[...value]}
      onChange={(types) => onChange(types as WorkspaceEventType[])}
      searchable
      clearable
      nothingFoundMessage={webhooksText.noType}
    />
  );
}
