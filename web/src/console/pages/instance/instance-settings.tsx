import { Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { CallInput } from "../../../../../contract/client/operation.ts";
import { ask, call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Panel } from "../../frame/panel.tsx";
import { instanceTabsText } from "../../messages/objects/instance.ts";
import { SettingForm } from "../../parts/setting-form/setting-form.tsx";
import type { ComparedField } from "../../parts/stored/compared-fields.ts";
import { Example } from "../../parts/stored/example.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
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
            {(Object.keys(text.names) as SettingName[]).map((name) => {
              const { value, version = NOT_SET } = stored.find((each) => each.name === name) ?? {};
              return <Setting key={`${name} ${version}`} name={name} stored={toLoadedSetting(value, `"${version}"`)} />;
            })}
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

/** The value as JSON, so that a draft can also contain a value of another type or none. */
interface SettingValues {
  json: string;
}

/** The service names this version of a setting that is not set. */
const NOT_SET = "-";

const toLoadedSetting = (value: unknown, version: string): Loaded<SettingValues> => ({
  values: { json: JSON.stringify(value ?? null) },
  version,
});
const readJson = (json: string): unknown => JSON.parse(json);

/** Compares a setting as formatted JSON. */
const comparedSetting = (label: string): ComparedField<SettingValues> => ({
  label,
  keys: ["json"],
  toText: ({ json }) => (json === "null" ? text.byDefault : JSON.stringify(readJson(json), null, 2)),
});

function Setting({ name, stored }: { name: SettingName; stored: Loaded<SettingValues> }) {
  const queries = useQueryClient();
  const [isBroken, setIsBroken] = useState(false);
  const { label } = text.names[name];
  const fields = useMemo(() => [comparedSetting(label)], [label]);
  const editor = useEditor<SettingValues>({
    form: ["setting of the instance", name],
    loaded: stored,
    keepable: (values) => values,
    fields,
    reload: async () => {
      const { value, headers } = await ask.settings.getGlobal({ key: name });
      return toLoadedSetting(value, headers.get("etag") ?? "");
    },
    save: ({ json }, headers) => call.settings.setGlobal({ key: name, headers, body: { value: readJson(json) as SettingValue } }),
    // The form begins again with the saved version before someone continues to type.
    onSaved: async () => {
      await queries.invalidateQueries({ queryKey: key });
      notifications.show({ message: text.saved(label) });
    },
  });
  return (
    <section aria-label={label}>
      <SettingForm editor={editor} canSave={!isBroken} saveLabel={text.saveOf(label)}>
        <SettingField
          name={name}
          value={readJson(editor.values.json)}
          onChange={(value) => editor.change({ json: JSON.stringify(value ?? null) })}
          onBroken={setIsBroken}
        />
      </SettingForm>
    </section>
  );
}
