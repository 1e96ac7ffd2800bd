import { Button, Group, type MantineColorScheme, NativeSelect, Radio, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PreferencesJson } from "../../../../../contract/routes/console/preferences.ts";
import { exactText } from "../../../shared/time/time.ts";
import { listZones } from "../../../shared/time/zones.ts";
import { preferencesQuery, useEditPreferences, useTheme } from "../../data/preferences.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Panel } from "../../frame/panel.tsx";
import { accountText } from "../../messages/account.ts";
import { frameText } from "../../messages/frame.ts";

/** The preferences of the account, in every workspace and browser. */
export function Preferences() {
  const preferences = useQuery(preferencesQuery);
  return (
    <Panel query={preferences} guide="console#preferences">
      {(found) => <PreferencesForm preferences={found} />}
    </Panel>
  );
}

function PreferencesForm({ preferences: { timezone } }: { preferences: PreferencesJson }) {
  const [scheme, setScheme] = useTheme();
  const edit = useEditPreferences();
  const showHints = () =>
    edit.mutate({ dismissed_hints: null }, { onSuccess: () => notifications.show({ message: accountText.hintsShown }) });
  return (
    <Stack gap="lg" maw={480}>
      <Radio.Group
        label={accountText.theme}
        description={accountText.themeHelp}
        value={scheme}
        onChange={(chosen) => setScheme(chosen as MantineColorScheme)}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(frameText.themes).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label={accountText.timeZone}
        description={accountText.timeZoneHelp(exactText(new Date().toISOString()))}
        data={[{ value: "", label: accountText.browserZone }, ...listZones()]}
        value={timezone ?? ""}
        onChange={({ target }) => edit.mutate({ timezone: target.value || null })}
      />
      <section aria-label={accountText.hints}>
        <Title order={2} size="h5">
          {accountText.hints}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {accountText.hintsHelp}
        </Text>
        <Group>
          <Button variant="default" loading={edit.isPending} onClick={showHints}>
            {accountText.showHints}
          </Button>
        </Group>
      </section>
    </Stack>
  );
}
