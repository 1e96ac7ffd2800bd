import { Group, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useWorkspace } from "../data/me.ts";
import { frameText } from "../messages/frame.ts";

interface PageProps {
  title: string;
  /** Shown next to the title. */
  mark?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of the console: its heading, its actions and its content. A new heading takes the focus, so that screen readers notice the page. */
export function Page({ title, mark, actions, children }: PageProps) {
  const workspace = useWorkspace();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [title, workspace, frameText.product].filter(Boolean).join(" · ");
    // A dialog, such as the command palette, can be open while the page loads. It keeps the focus.
    if (!document.querySelector("[role=dialog]")) heading.current?.focus({ preventScroll: true });
  }, [title, workspace]);
  return (
    <>
      <Group className="page-head" justify="space-between" align="center" gap="sm">
        <Group gap="sm" className="page-title">
          <Title order={1} size="h3" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {mark}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </>
  );
}
