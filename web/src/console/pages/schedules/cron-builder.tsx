import { Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { type CronChoice, MINUTE_STEPS, parseChoice, toCron } from "./cron-choice.ts";

const text = schedulesText.builder;
const kinds = Object.entries(text.every).map(([value, label]) => ({ value, label }));
const twoDigits = (number: number) => String(number).padStart(2, "0");
/** The builder writes a list of days, and offers them in the order of a working week. */
const DAYS = [1, 2, 3, 4, 5, 6, 0] as const;

interface CronBuilderProps {
  cron: string;
  onChange: (cron: string) => void;
}

/** Makes a cron expression of simple choices. An expression that it does not offer stays as it is until a choice replaces it. */
export function CronBuilder({ cron, onChange }: CronBuilderProps) {
  const choice = parseChoice(cron);
  const change = (next: CronChoice) => onChange(toCron(next));
  const at = choice && "hour" in choice ? { minute: choice.minute, hour: choice.hour } : { minute: 0, hour: 8 };
  const beginnings: Record<CronChoice["every"], CronChoice> = {
    minutes: { every: "minutes", step: 15 },
    hour: { every: "hour", minute: 0 },
    day: { every: "day", ...at },
    week: { every: "week", ...at, days: [1] },
    month: { every: "month", ...at, day: 1 },
  };
  return (
    <Stack gap="xs" role="group" aria-label={text.title}>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label={text.repeat}
          data={choice ? kinds : [{ value: "", label: text.other }, ...kinds]}
          value={choice?.every ?? ""}
          onChange={({ target }) => target.value !== "" && change(beginnings[target.value as CronChoice["every"]])}
        />
        {choice?.every === "minutes" && (
          <NativeSelect
            size="xs"
            label={text.step}
            data={MINUTE_STEPS.map(String)}
            value={String(choice.step)}
            onChange={({ target }) => change({ ...choice, step: Number(target.value) })}
          />
        )}
        {choice?.every === "month" && (
          <NativeSelect
            size="xs"
            label={text.day}
            data={Array.from({ length: 31 }, (_, at) => String(at + 1))}
            value={String(choice.day)}
            onChange={({ target }) => change({ ...choice, day: Number(target.value) })}
          />
        )}
        {choice?.every === "hour" && (
          <NativeSelect
            size="xs"
            label={text.minute}
            data={Array.from({ length: 60 }, (_, minute) => String(minute))}
            value={String(choice.minute)}
            onChange={({ target }) => change({ ...choice, minute: Number(target.value) })}
          />
        )}
        {choice && "hour" in choice && (
          <TextInput
            size="xs"
            type="time"
            label={text.time}
            value={`${twoDigits(choice.hour)}:${twoDigits(choice.minute)}`}
            onChange={({ target }) => {
              const [hour = "", minute = ""] = target.value.split(":");
              // A browser reports an incomplete time as an empty text.
              if (minute !== "") change({ ...choice, hour: Number(hour), minute: Number(minute) });
            }}
          />
        )}
      </Group>
      {choice?.every === "week" && (
        <Group gap="sm" role="group" aria-label={text.days}>
          {DAYS.map((day) => {
            const isChosen = choice.days.includes(day);
            const days = isChosen ? choice.days.filter((each) => each !== day) : [...choice.days, day];
            return (
              <Checkbox
                key={day}
                size="xs"
                label={text.dayNames[day]}
                checked={isChosen}
                // A week without a day would be no expression.
                onChange={() => days.length > 0 && change({ ...choice, days })}
              />
            );
          })}
        </Group>
      )}
    </Stack>
  );
}
