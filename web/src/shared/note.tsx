import { Alert, Text } from "@mantine/core";
import { type ReactNode, type Ref, useEffect, useRef } from "react";

const colors = { bad: "red", good: "teal", plain: "gray" } as const;

interface NoteProps {
  tone: keyof typeof colors;
  title?: string;
  /** Moves the focus here, because the note responds to the reader's action. */
  focus?: unknown;
  children: ReactNode;
}

/** An important note. Screen readers announce an error immediately and other notes when they are idle. */
export function Note({ tone, title, focus, children }: NoteProps) {
  const element: Ref<HTMLDivElement> = useRef(null);
  useEffect(() => {
    if (focus) element.current?.focus();
  }, [focus]);
  return (
    <Alert
      ref={element}
      tabIndex={-1}
      color={colors[tone]}
      variant="outline"
      role={tone === "bad" ? "alert" : "status"}
      title={title}
      classNames={{ root: "note", title: "note-title", body: "note-body" }}
    >
      <Text component="div">{children}</Text>
    </Alert>
  );
}
