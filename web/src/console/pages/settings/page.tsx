import { Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { NotFound } from "../../frame/page-failed.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { settingsText } from "../../messages/settings.ts";
import { webhooksText } from "../../messages/webhooks.ts";
import { AddressTabs } from "../../parts/address-tabs.tsx";
import { Deliveries } from "../../parts/webhooks/deliveries/deliveries.tsx";
import { Endpoints } from "../../parts/webhooks/endpoints.tsx";
import { workspaceSource } from "../../parts/webhooks/source.ts";
import { useEndpoints } from "../../parts/webhooks/use-webhooks.ts";
import { OWN_ENDPOINT, WorkspaceWebhook } from "../../parts/webhooks/workspace-webhook.tsx";

/** Shows the settings of a workspace to its admins. */
export default function SettingsPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const { tab } = useParams({ strict: false });
  if (tab === undefined) return <FirstTab workspace={workspace} />;
  if (!Object.hasOwn(settingsText.tabs, tab)) return <NotFound />;
  return (
    <Page title={settingsText.title}>
      {isOffered("workspaces.editWebhook", member) ? (
        <>
          <AddressTabs
            label={settingsText.tabList}
            tabs={settingsText.tabs}
            linkTo={(name) => ({ to: "/w/$ws/settings/$tab", params: { ws: workspace, tab: name } })}
          />
          <Webhooks key={workspace} workspace={workspace} />
        </>
      ) : (
        <Empty title={settingsText.adminsOnly} guide="permissions#users-members-and-roles">
          <Text>{settingsText.adminsOnlyWhy}</Text>
        </Empty>
      )}
    </Page>
  );
}

/** Opens the first tab once: the address changes while it loads. */
function FirstTab({ workspace }: { workspace: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a redirect happens once
  useEffect(() => void navigate({ to: "/w/$ws/settings/$tab", params: { ws: workspace, tab: "webhooks" }, replace: true }), []);
  return null;
}

function Webhooks({ workspace }: { workspace: string }) {
  const source = useMemo(() => workspaceSource(workspace), [workspace]);
  const endpoints = useEndpoints(source);
  return (
    <Stack gap="xl">
      <Text>{webhooksText.why}</Text>
      <Panel query={endpoints} guide="events#endpoints">
        {(listed) => (
          <>
            <WorkspaceWebhook workspace={workspace} source={source} webhook={listed.find(({ id }) => id === OWN_ENDPOINT)} />
            <Endpoints workspace={workspace} source={source} endpoints={listed.filter(({ id }) => id !== OWN_ENDPOINT)} />
            <Deliveries source={source} endpoints={listed} />
          </>
        )}
      </Panel>
    </Stack>
  );
}
