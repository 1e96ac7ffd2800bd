import { Stack, Text, Title } from "@mantine/core";
import { fillTemplate } from "../../../../../../../core/approvals/template.ts";
import { showDirections } from "../../../../../shared/preview.ts";
import { useMember } from "../../../../data/me.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { useStepContext } from "../context.ts";
import { useLastResults } from "../inputs/value-picker.tsx";

/** The message of a ConsentGate as its approvers read it, filled in by the code of the service. */
export function MessagePreview({ path, message }: { path: string; message: string }) {
  const context = useStepContext();
  const { username } = useMember();
  const results = useLastResults(context, message.includes("{{"));
  const filled = fillTemplate(message, {
    workflow: { name: path || "preview" },
    run: { triggered_by: username },
    context: results.data ?? {},
  });
  if (message === "") return null;
  return (
    <Stack gap={4} component="section" aria-label={text.preview}>
      <Title order={4} size="h6">
        {text.preview}
      </Title>
      <Text size="sm">{text.previewWhy}</Text>
      <Text className="text step-preview">{showDirections(filled)}</Text>
    </Stack>
  );
}
