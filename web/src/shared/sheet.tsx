import { Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

/** The title of the HTML file. */
const PAGE_NAME = document.title;

interface SheetProps {
  title: string;
  subtitle?: string | undefined;
  /** Moves the focus here, because a screen reader does not notice that the content has changed. */
  focus?: boolean;
  children: ReactNode;
}

/** The frame of every state of the page. */
export function Sheet({ title, subtitle, focus = false, children }: SheetProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${PAGE_NAME}`;
  }, [title]);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  return (
    <Paper withBorder p="lg" radius="md">
      <Stack gap="lg">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {subtitle && <Text c="dimmed">{subtitle}</Text>}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
