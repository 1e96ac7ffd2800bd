import { type MantineColorScheme, Radio, Stack, useMantineColorScheme } from "@mantine/core";
import { accountText } from "../../messages/account.ts";
import { frameText } from "../../messages/frame.ts";

export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Radio.Group
      label={accountText.theme}
      description={accountText.themeHelp}
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
    >
      <Stack gap="xs" mt="xs">
        {Object.entries(frameText.themes).map(([scheme, label]) => (
          <Radio key={scheme} value={scheme} label={label} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
