import { NativeSelect, Stack, TextInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { shownZone } from "../time/time.ts";
import { listZones } from "../time/zones.ts";
import { common } from "./common.ts";
import { toLocalTime, toZonedTime } from "./zoned-time.ts";

/** A moment: a local time and its time zone. */
export function DateTimeWidget(props: WidgetProps) {
  const { value, onChange, options, label } = props;
  const [zone, setZone] = useState(shownZone);
  const [local, setLocal] = useState(() => toLocalTime(value, zone));
  const field = common(props);
  const change = (nextLocal: string, nextZone: string) => {
    setLocal(nextLocal);
    setZone(nextZone);
    onChange(toZonedTime(nextLocal, nextZone) ?? options.emptyValue);
  };
  return (
    <Stack gap={4}>
      <TextInput {...field} type="datetime-local" value={local} onChange={({ target }) => change(target.value, zone)} />
      <NativeSelect
        size="xs"
        aria-label={`Time zone of ${label}`}
        disabled={field.disabled}
        data={listZones()}
        value={zone}
        onChange={({ target }) => change(local, target.value)}
      />
    </Stack>
  );
}
