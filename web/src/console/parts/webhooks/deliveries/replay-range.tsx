import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { WebhookJson } from "../../../../../../contract/routes/events/webhooks.ts";
import { notifications } from "../../../frame/notifications.tsx";
import { Failed } from "../../../frame/panel.tsx";
import { frameText } from "../../../messages/frame.ts";
import { deliveriesText } from "../../../messages/webhooks.ts";
import { fromLocalTime, toLocalTime } from "../../local-time.ts";
import type { DeliveryQuery, WebhookSource } from "../source.ts";
import { useWatch } from "../use-webhooks.ts";
import { toDeliveryQuery } from "./pages.ts";

const HOUR_MS = 3600_000;
const MINUTE_MS = 60_000;

interface ReplayRangeProps {
  source: WebhookSource;
  endpoints: readonly WebhookJson[];
  onClose: () => void;
}

/** Sends the events of a range of time to an endpoint again. */
export function ReplayRange({ source, endpoints, onClose }: ReplayRangeProps) {
  const [endpoint, setEndpoint] = useState(endpoints[0]?.id ?? "");
  const [from, setFrom] = useState(() => toLocalTime(Date.now() - HOUR_MS));
  const [to, setTo] = useState(() => toLocalTime(Date.now() + MINUTE_MS));
  const [chosen, setChosen] = useState<{ event?: string; state?: string }>({});
  const watch = useWatch(source);
  const replay = useMutation({
    mutationFn: () => {
      const { type, state }: DeliveryQuery = toDeliveryQuery(chosen, source.types);
      return source.replay({
        endpoint,
        after: fromLocalTime(from) ?? "",
        before: fromLocalTime(to) ?? "",
        ...(type ? { types: [type] } : {}),
        ...(state ? { state } : {}),
      });
    },
    onSuccess: async () => {
      notifications.show({ message: deliveriesText.rangeReplayed });
      onClose();
      await watch();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replay.mutate();
  };
  const any = { value: "", label: deliveriesText.any };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>{deliveriesText.rangeWhy}</Text>
        <NativeSelect
          label={deliveriesText.endpoint}
          data={endpoints.map(({ id }) => id)}
          value={endpoint}
          onChange={({ target }) => setEndpoint(target.value)}
        />
        <TextInput
          type="datetime-local"
          label={deliveriesText.from}
          required
          withAsterisk={false}
          value={from}
          max={to}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextInput
          type="datetime-local"
          label={deliveriesText.to}
          required
          withAsterisk={false}
          value={to}
          min={from}
          onChange={({ target }) => setTo(target.value)}
        />
        <NativeSelect
          label={deliveriesText.event}
          data={[any, ...source.types.map((type) => ({ value: type, label: type }))]}
          value={chosen.event ?? ""}
          onChange={({ target }) => setChosen({ ...chosen, event: target.value })}
        />
        <NativeSelect
          label={deliveriesText.state}
          data={[any, ...Object.entries(deliveriesText.states).map(([value, label]) => ({ value, label }))]}
          value={chosen.state ?? ""}
          onChange={({ target }) => setChosen({ ...chosen, state: target.value })}
        />
        {replay.error && <Failed error={replay.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {frameText.cancel}
          </Button>
          <Button type="submit" color="blue.8" loading={replay.isPending}>
            {deliveriesText.replay}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
