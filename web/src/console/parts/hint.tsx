import { Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { preferencesQuery, useEditPreferences, usePreferences } from "../data/preferences.ts";
import { GuideLink } from "../frame/panel.tsx";
import { frameText } from "../messages/frame.ts";

interface HintProps {
  name: keyof typeof frameText.hints;
  /** The guide of the page. */
  guide: string;
}

/** Explains a page on the first visit, until the person dismisses it in any browser. */
export function Hint({ name, guide }: HintProps) {
  const preferences = usePreferences();
  const queries = useQueryClient();
  const edit = useEditPreferences();
  if (!preferences || preferences.dismissed_hints?.includes(name)) return null;
  const dismiss = async () => {
    // The button disappears.
    document.querySelector("h1")?.focus();
    // Another browser may have dismissed other hints.
    const { dismissed_hints = [] } = await queries.fetchQuery({ ...preferencesQuery, staleTime: 0 }).catch(() => preferences);
    edit.mutate({ dismissed_hints: [...new Set([...dismissed_hints, name])] });
  };
  return (
    <Group className="hint" role="note" aria-label={frameText.hint} gap="sm">
      <Text size="sm">{frameText.hints[name]}</Text>
      <GuideLink guide={guide} />
      <Button size="compact-xs" variant="default" onClick={() => void dismiss()}>
        {frameText.dismiss}
      </Button>
    </Group>
  );
}
