import { Text } from "@mantine/core";
import type { JobJson } from "../../../../contract/routes/jobs/job.ts";
import { readErrorPreview } from "../../../../contract/utilities/error-preview.ts";
import { runsText } from "../messages/runs.ts";

/** The beginnings of the arguments and of the result or the error of a run. */
export function RunPreview({ run }: { run: JobJson }) {
  const result = run.type === "CompletedJob" ? run.result_preview : undefined;
  const error = run.type === "CompletedJob" && !run.success ? readErrorPreview(result) : undefined;
  return (
    <Text className="previews" size="xs" c="dimmed">
      {run.args_preview && run.args_preview !== "{}" && <span title={runsText.arguments}>{run.args_preview}</span>}
      {error ? (
        <span title={runsText.error}>
          {error.name}: {error.message}
        </span>
      ) : (
        result && <span title={runsText.result}>→ {result}</span>
      )}
    </Text>
  );
}
