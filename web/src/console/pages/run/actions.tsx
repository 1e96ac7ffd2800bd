import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { basePath } from "../../../shared/base-path.ts";
import { Refused } from "../../../shared/service.ts";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { compareText } from "../../messages/compare.ts";
import { runText } from "../../messages/run.ts";
import { shareText } from "../../messages/share.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { copyText } from "../../parts/copy.ts";
import { CompareDialog } from "./compare-dialog.tsx";
import { curlOf } from "./curl.ts";
import { RestartDialog } from "./restart-dialog.tsx";
import { ShareDialog } from "./share.tsx";
import { type RunJob, runKey } from "./use-run.ts";

/** The actions on a run. */
export function Actions({ workspace, run }: { workspace: string; run: RunJob }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const member = useMember();
  const [dialog, setDialog] = useState<"force" | "share" | "compare" | "restart">();
  const closeDialog = () => setDialog(undefined);
  const { id } = run;
  const refresh = () => queries.invalidateQueries({ queryKey: runKey(workspace, id) });
  const cancel = useMutation({
    mutationFn: (isForced: boolean) => (isForced ? call.jobs.forceCancel : call.jobs.cancel)({ workspace, id, body: {} }),
    onSuccess: async () => {
      notifications.show({ message: runText.canceling });
      closeDialog();
      await refresh();
    },
  });
  const again = useMutation({
    mutationFn: async () => {
      const answer = await call.jobs.rerun({ workspace, body: { job_ids: [id] } });
      // Each line is the id of a new run, or the reason why there is none.
      if (answer.startsWith("Error:")) throw new Refused(400, "", answer.slice("Error:".length).trim());
      return answer.trim();
    },
    onSuccess: (newId) => {
      notifications.show({ message: runText.startedAgain });
      void navigate({ to: "/w/$ws/runs/$id", params: { ws: workspace, id: newId } });
    },
  });
  const curl = curlOf(`${location.origin}${basePath}`, workspace, run);
  const error = (dialog === "force" ? null : cancel.error) ?? again.error;
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="flex-end">
        {run.type === "QueuedJob" && (
          <>
            <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(false)}>
              {runText.cancel}
            </Button>
            <Button size="xs" variant="default" onClick={() => setDialog("force")}>
              {runText.forceCancel}
            </Button>
          </>
        )}
        {isOffered("jobs.rerun", member) && run.script_path && (
          <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            {runText.runAgain}
          </Button>
        )}
        {run.script_path && (run.job_kind === "script" || run.job_kind === "flow") && (
          <Button
            size="xs"
            variant="default"
            onClick={() => void navigate({ to: `/w/${workspace}/${run.job_kind}s/${run.script_path}`, search: { from: id } })}
          >
            {runText.runWithChanges}
          </Button>
        )}
        {isOffered("jobs.restart.flows", member) && run.type === "CompletedJob" && run.job_kind === "flow" && (
          <Button size="xs" variant="default" onClick={() => setDialog("restart")}>
            {runText.restart.open}
          </Button>
        )}
        {run.script_path && (
          <Button size="xs" variant="default" onClick={() => setDialog("compare")}>
            {compareText.compare}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setDialog("share")}>
          {shareText.share}
        </Button>
        {curl && (
          <Button size="xs" variant="default" onClick={() => void copyText(curl)}>
            {runText.copyCurl}
          </Button>
        )}
        {run.execution?.console_url && (
          <Button size="xs" variant="default" component="a" href={run.execution.console_url} target="_blank" rel="noreferrer">
            {runText.openExecution}
          </Button>
        )}
      </Group>
      {error && <Failed error={error} />}
      <ShareDialog workspace={workspace} id={id} isOpen={dialog === "share"} onClose={closeDialog} />
      <CompareDialog workspace={workspace} run={run} isOpen={dialog === "compare"} onClose={closeDialog} />
      <RestartDialog workspace={workspace} run={run} isOpen={dialog === "restart"} onClose={closeDialog} />
      <Confirm
        isOpen={dialog === "force"}
        title={runText.forceCancel}
        action={runText.forceCancel}
        keep={runText.keep}
        isBusy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate(true)}
        onClose={closeDialog}
      >
        <Text>{runText.confirmForce}</Text>
      </Confirm>
    </Stack>
  );
}
