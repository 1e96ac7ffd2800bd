import { Alert, Text } from "@mantine/core";
import { type ReactNode, type Ref, useEffect, useRef } from "react";

const colors = { bad: "red", good: "teal", plain: "gray" } as const;

interface NoteProps {
  tone: keyof typeof colors;
  title?: string;
  /** Takes the reader here: it answers what they have just done. */
  focus?: unknown;
  children: ReactNode;
}

/** Something that must not be missed. What went wrong is read out at once, the rest when there is time. */
export function Note({ tone, title, focus, children }: NoteProps) {
  const place: Ref<HTMLDivElement> = useRef(null);
  useEffect(() => {
    if (focus) place.current?.focus();
  }, [focus]);
  return (
    <Alert
      ref={place}
      tabIndex={-1}
      color={colors[tone]}
      variant="outline"
      role={tone === "bad" ? "alert" : "status"}
      title={title}
      classNames={{ root: "note", title: "note-title" }}
    >
      <Text component="div">{children}</Text>
    </Alert>
  );
}
