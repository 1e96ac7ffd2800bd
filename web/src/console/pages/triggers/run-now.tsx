import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../data/objects-api.ts";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { triggersText as text } from "../../messages/objects/triggers.ts";
import { parseObject } from "../../parts/stored/parse-object.ts";
import { kindOf, type Trigger } from "./trigger.ts";

interface RunNowProps {
  workspace: string;
  trigger: Trigger;
  onClose: () => void;
}

/** Starts the script or the flow of a trigger with a message that the user enters. */
export function RunNow({ workspace, trigger, onClose }: RunNowProps) {
  const { path, script_path, is_flow } = trigger;
  const kind = kindOf(trigger);
  const isEvent = kind === "bus" || kind === "bucket";
  const [message, setMessage] = useState(isEvent ? "{}" : "");
  const event = parseObject(message);
  const isBroken = isEvent && !event;
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: () =>
      (is_flow ? call.jobs.run.flows : call.jobs.run.scripts)({ workspace, path: script_path, body: { msg: isEvent ? event : message } }),
    onSuccess: (id) => void navigate({ to: "/w/$ws/runs/$id", params: { ws: workspace, id } }),
  });
  return (
    <Modal opened onClose={onClose} title={text.runNowTitle(path)}>
      <Stack>
        <Text>{text.runNowWhy}</Text>
        <Textarea
          data-autofocus
          label={text.message}
          description={isEvent ? text.messageJson : text.messageText}
          error={isBroken && text.jsonBroken}
          rows={5}
          spellCheck={false}
          classNames={{ input: "stored-input" }}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
        {run.error && <Failed error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {frameText.cancel}
          </Button>
          <Button color="blue.8" loading={run.isPending} disabled={isBroken} onClick={() => run.mutate()}>
            {text.runNow}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
