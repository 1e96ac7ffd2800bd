import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMember } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { GuideLink, Panel } from "../../frame/panel.tsx";
import { triggersText as text } from "../../messages/objects/triggers.ts";
import { copyText } from "../../parts/copy.ts";
import { Example } from "../../parts/stored/example.tsx";
import { describeSetup } from "./setup.ts";
import type { TriggerValues } from "./trigger.ts";

/** The commands that prepare the entered source in this deployment. */
export function SetupCommands({ workspace, values }: { workspace: string; values: TriggerValues }) {
  const member = useMember();
  const setup = useQuery({
    queryKey: [workspace, "trigger setup"],
    queryFn: ({ signal }) => call.aws_triggers.getSetup({ workspace, signal }),
  });
  if (values.kind === "queue" && values.resource !== "") return null;
  return (
    <details>
      <summary>{text.setup}</summary>
      <Panel query={setup}>
        {(found) => {
          const source = describeSetup(workspace, values, found);
          const isMail = values.kind === "mail";
          if (isMail && found.mail_domain === undefined)
            return (
              <Text>
                {text.noMail} <GuideLink guide="aws#mail-that-starts-jobs" />
              </Text>
            );
          if (!source) return <Text c="dimmed">{text.enterSource}</Text>;
          const { arn, steps } = source;
          const isAllowed = arn !== undefined && found.allowed_sources.includes(arn);
          return (
            <Stack gap="xs">
              <Text>
                {text.setupWhy} {!isMail && text.inPlace(found.account, found.region)}
              </Text>
              {arn !== undefined && <Text>{isAllowed ? text.allowed(arn) : text.notAllowed(arn)}</Text>}
              {arn !== undefined && !isAllowed && member.is_super_admin && (
                <Link to="/instance/$tab" params={{ tab: "settings" }}>
                  {text.openSetting}
                </Link>
              )}
              {steps.map(({ title, command }) => (
                <div key={title}>
                  <Text size="sm">{title}</Text>
                  <Example label={title} text={command} />
                  <Button size="compact-sm" variant="default" aria-label={text.copyOf(title)} onClick={() => void copyText(command)}>
                    {text.copy}
                  </Button>
                </div>
              ))}
              {isMail && found.mail_domain !== undefined && <Text>{text.mx(found.mail_domain, found.region)}</Text>}
            </Stack>
          );
        }}
      </Panel>
    </details>
  );
}
