import { Button, Group, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import type { Search } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Panel } from "../../frame/panel.tsx";
import { webhooksOfText as text } from "../../messages/webhooks-of.ts";
import { copyText } from "../../parts/copy.ts";
import type { Runnable } from "./use-runnable.ts";
import { curlOf, exampleArguments, javascriptOf, pythonOf } from "./webhook-examples.ts";

const WebhookToken = loadOnDemand(() => import("./webhook-token.tsx"), null);

type Webhook = Reply<"scripts.webhooks">[number];

/** `sync by GET, this version` becomes `Synchronous: … (GET)`. */
function nameOf({ kind, method }: Webhook): string {
  const explanation = Object.entries(text.kinds).find(([word]) => kind.startsWith(word))?.[1] ?? kind;
  return `${explanation} (${method})`;
}

const versionOf = ({ kind }: Webhook): keyof typeof text.versions => (kind.endsWith("this version") ? "exact" : "newest");

/** The addresses that run a script or a flow, with examples and tokens for it alone. */
export default function WebhooksTab({ workspace, runnable }: { workspace: string; runnable: Runnable }) {
  const { kind, path, schema } = runnable;
  const [createsToken, setCreatesToken] = useState(false);
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const version = search["version"] === "exact" ? "exact" : "newest";
  const webhooks = useQuery({
    queryKey: [workspace, "webhooks of", kind, path],
    queryFn: ({ signal }) => (kind === "flow" ? call.flows.webhooks : call.scripts.webhooks)({ workspace, path, signal }),
  });
  const tokens = useQuery({
    queryKey: [workspace, "tokens of", kind, path],
    queryFn: ({ signal }) => (kind === "flow" ? call.flows.listTokens : call.scripts.listTokens)({ workspace, path, signal }),
  });
  const args = exampleArguments(schema);
  return (
    <Stack gap="md">
      <Text>{text.explain}</Text>
      <SegmentedControl
        className="webhook-version"
        size="xs"
        aria-label={text.version}
        value={version}
        onChange={(next) => void navigate({ to: ".", search: { ...search, version: next === "exact" ? next : undefined }, replace: true })}
        data={Object.entries(text.versions).map(([value, label]) => ({ value, label }))}
      />
      <Panel query={webhooks}>
        {(found) => (
          <Stack gap="sm">
            {found
              .filter((webhook) => versionOf(webhook) === version)
              .map((webhook) => (
                <Paper key={webhook.kind} withBorder p="sm" component="section" aria-label={nameOf(webhook)}>
                  <Title order={2} size="h6">
                    {nameOf(webhook)}
                  </Title>
                  <Text className="webhook-url" size="sm">
                    {webhook.method} {webhook.url}
                  </Text>
                  <Group gap="xs" mt="xs">
                    <Button size="xs" variant="default" onClick={() => void copyText(webhook.url)}>
                      {text.copyUrl}
                    </Button>
                    <Button size="xs" variant="default" onClick={() => void copyText(curlOf(webhook, args))}>
                      {text.copyCurl}
                    </Button>
                    <Button size="xs" variant="default" onClick={() => setCreatesToken(true)}>
                      {text.createToken}
                    </Button>
                  </Group>
                  <details className="examples">
                    <summary>{text.examples}</summary>
                    <Example language={text.javascript} program={javascriptOf(webhook, args)} />
                    <Example language={text.python} program={pythonOf(webhook, args)} />
                  </details>
                </Paper>
              ))}
          </Stack>
        )}
      </Panel>
      <section aria-label={text.tokens}>
        <Title order={2} size="h5">
          {text.tokens}
        </Title>
        <Panel query={tokens} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{text.noTokens}</Text>}>
          {(found) => (
            <ul className="plain-list">
              {found.map(({ token_prefix, label, last_used_at }) => (
                <li key={token_prefix}>
                  {label} <span className="webhook-url">{token_prefix}…</span> {text.lastUsed} <Ago at={last_used_at} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </section>
      {createsToken && <WebhookToken workspace={workspace} runnable={runnable} onClose={() => setCreatesToken(false)} />}
    </Stack>
  );
}

function Example({ language, program }: { language: string; program: string }) {
  return (
    <section aria-label={language}>
      <Group gap="xs" mt="xs">
        <Title order={3} size="h6">
          {language}
        </Title>
        <Button size="compact-xs" variant="default" onClick={() => void copyText(program)}>
          {text.copyExample(language)}
        </Button>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <pre className="example" tabIndex={0}>
        {program}
      </pre>
    </section>
  );
}
