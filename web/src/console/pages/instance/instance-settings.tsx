import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CallInput } from "../../../../../contract/client/operation.ts";
import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed, Panel } from "../../frame/panel.tsx";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { Example } from "../../parts/stored/example.tsx";
import { SettingField } from "./setting-field.tsx";

const text = instanceTabsText.settings;
const key = ["instance", "settings"];
/** The receiver of events has a tab, and the service never shows the secrets of the connect clients. */
const elsewhere = ["instance_events_webhook", "oauths", "automate_username_creation"];

/** The settings of the instance that the service reads, and those that it stores for other clients. */
export function InstanceSettings() {
  const settings = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call.settings.listGlobal({ signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel query={settings} guide="permissions#users-members-and-roles">
      {(stored) => {
        const others = stored.filter(({ name }) => !Object.hasOwn(text.names, name) && !elsewhere.includes(name));
        return (
          <Stack maw={720} mt="sm">
            <Text>{text.why}</Text>
            {(Object.keys(text.names) as SettingName[]).map((name) => (
              <Setting key={name} name={name} stored={stored.find((each) => each.name === name)?.value ?? null} />
            ))}
            <Title order={2} size="h5">
              {text.others}
            </Title>
            <Text>{others.length === 0 ? text.noOthers : text.othersWhy}</Text>
            {others.map(({ name, value }) => (
              <div key={name}>
                <Text fw={600}>{name}</Text>
                <Example label={text.valueOf(name)} text={JSON.stringify(value, null, 2)} />
              </div>
            ))}
          </Stack>
        );
      }}
    </Panel>
  );
}

type SettingName = keyof typeof text.names;
type SettingValue = NonNullable<CallInput<"settings.setGlobal">["body"]>["value"];

function Setting({ name, stored }: { name: SettingName; stored: unknown }) {
  const queries = useQueryClient();
  const [seen, setSeen] = useState(stored);
  const [value, setValue] = useState(stored);
  const [isBroken, setIsBroken] = useState(false);
  const { label } = text.names[name];
  const save = useMutation({
    mutationFn: async () => {
      const current = await call.settings.getGlobal({ key: name });
      if (JSON.stringify(current ?? null) !== JSON.stringify(seen)) throw new Refused(409, "page.settingChanged", text.changed);
      await call.settings.setGlobal({ key: name, body: { value: value as SettingValue } });
      return (await call.settings.getGlobal({ key: name })) ?? null;
    },
    onSuccess: async (saved) => {
      setSeen(saved);
      notifications.show({ message: text.saved(label) });
      await queries.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <section aria-label={label}>
      <SettingField name={name} value={value} onChange={setValue} onBroken={setIsBroken} />
      {save.error && <Failed error={save.error} />}
      <Group mt="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={text.saveOf(label)}
          loading={save.isPending}
          disabled={isBroken}
          onClick={() => save.mutate()}
        >
          {text.save}
        </Button>
      </Group>
    </section>
  );
}
