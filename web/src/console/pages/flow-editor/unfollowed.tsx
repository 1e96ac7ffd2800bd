import { Text } from "@mantine/core";
import { useMemo } from "react";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { listUnfollowed } from "./document/edit.ts";
import type { FlowValue } from "./document/flow-document.ts";

/** Names the steps whose expressions do not follow a new id of a step. */
export function Unfollowed({ flow, id }: { flow: FlowValue; id: string }) {
  const steps = useMemo(() => listUnfollowed(flow, id), [flow, id]);
  if (steps.length === 0) return null;
  return (
    <Text size="sm" role="status">
      {text.unfollowed(steps.join(", "))}
    </Text>
  );
}
