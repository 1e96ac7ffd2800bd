import { Checkbox, Stack, Textarea, TextInput } from "@mantine/core";
import type { ScheduleChange } from "../../../../../contract/routes/schedules/schedule.ts";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { RetryField } from "../../parts/fields/retry-field.tsx";
import { fromLocalTime, toLocalTime } from "../../parts/local-time.ts";

const text = schedulesText.more;

interface MoreSettingsProps {
  others: Partial<ScheduleChange>;
  onChange: (changed: Partial<ScheduleChange>) => void;
}

/** The rarely used settings of a schedule. `null` removes one. */
export function MoreSettings({ others, onChange }: MoreSettingsProps) {
  const times = (name: "on_failure_times" | "on_recovery_times", label: string) => (
    <TextInput
      type="number"
      min={1}
      max={1000}
      label={label}
      value={others[name] ?? ""}
      onChange={({ target }) => onChange({ [name]: target.value === "" ? null : Number(target.value) })}
    />
  );
  const pausedUntilMs = Date.parse(others.paused_until ?? "");
  return (
    <details>
      <summary>{text.title}</summary>
      <Stack gap="sm" mt="xs">
        <Textarea
          label={text.description}
          rows={2}
          maxLength={20_000}
          value={others.description ?? ""}
          onChange={({ target }) => onChange({ description: target.value || null })}
        />
        {times("on_failure_times", text.failureTimes)}
        <Checkbox
          label={text.failureExact}
          checked={others.on_failure_exact ?? false}
          onChange={({ target }) => onChange({ on_failure_exact: target.checked || null })}
        />
        {times("on_recovery_times", text.recoveryTimes)}
        <Checkbox
          label={text.muted}
          checked={others.ws_error_handler_muted ?? false}
          onChange={({ target }) => onChange({ ws_error_handler_muted: target.checked || null })}
        />
        <TextInput
          type="datetime-local"
          label={text.pausedUntil}
          description={text.pausedUntilHelp}
          value={Number.isNaN(pausedUntilMs) ? "" : toLocalTime(pausedUntilMs)}
          onChange={({ target }) => onChange({ paused_until: fromLocalTime(target.value) ?? null })}
        />
        <TextInput
          label={text.skip}
          description={text.skipHelp}
          spellCheck={false}
          value={others.dynamic_skip ?? ""}
          onChange={({ target }) => onChange({ dynamic_skip: target.value.trim() || null })}
        />
        <RetryField value={others.retry} onChange={(retry) => onChange({ retry: retry as NonNullable<ScheduleChange["retry"]> | null })} />
        <LabelsField
          label={text.labels}
          help={text.labelsHelp}
          value={others.labels ?? []}
          onChange={(labels) => onChange({ labels: labels.length > 0 ? labels : null })}
        />
        <TextInput
          label={text.tag}
          maxLength={100}
          spellCheck={false}
          value={others.tag ?? ""}
          onChange={({ target }) => onChange({ tag: target.value.trim() || null })}
        />
      </Stack>
    </details>
  );
}
