import "../../parts/stored/stored.css";
import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
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
import { settingsQuery } from "./settings.ts";

const General = loadOnDemand(async () => ({ default: (await import("./general/general.tsx")).General }));
const Handler = loadOnDemand(async () => ({ default: (await import("./handler.tsx")).Handler }));
const FailureNoticesForm = loadOnDemand(async () => ({ default: (await import("./handler.tsx")).FailureNoticesForm }));
const Chats = loadOnDemand(async () => ({ default: (await import("./chats.tsx")).Chats }));
const DefaultApp = loadOnDemand(async () => ({ default: (await import("./default-app.tsx")).DefaultApp }));
const EncryptionKey = loadOnDemand(async () => ({ default: (await import("./encryption-key.tsx")).EncryptionKey }));
const DangerZone = loadOnDemand(async () => ({ default: (await import("./danger-zone.tsx")).DangerZone }));

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
          <Tab key={`${workspace} ${tab}`} workspace={workspace} tab={tab as TabName} />
        </>
      ) : (
        <Empty title={settingsText.adminsOnly} guide="permissions#users-members-and-roles">
          <Text>{settingsText.adminsOnlyWhy}</Text>
        </Empty>
      )}
    </Page>
  );
}

type TabName = keyof typeof settingsText.tabs;

function Tab({ workspace, tab }: { workspace: string; tab: TabName }) {
  switch (tab) {
    case "webhooks":
      return <Webhooks workspace={workspace} />;
    case "chat":
      return <Chats workspace={workspace} />;
    case "encryption-key":
      return <EncryptionKey workspace={workspace} />;
    case "danger-zone":
      return <DangerZone workspace={workspace} />;
    default:
      return <SettingsTab workspace={workspace} tab={tab} />;
  }
}

interface SettingsTabProps {
  workspace: string;
  tab: "general" | "error-handler" | "success-handler" | "default-app";
}

/** A tab whose form begins with the stored settings. */
function SettingsTab({ workspace, tab }: SettingsTabProps) {
  const settings = useQuery(settingsQuery(workspace));
  return (
    <Panel query={settings} guide="permissions">
      {(stored) => {
        const form = { workspace, stored };
        const key = settings.dataUpdatedAt;
        if (tab === "general") return <General key={key} {...form} />;
        if (tab === "default-app") return <DefaultApp key={key} {...form} />;
        if (tab === "success-handler") return <Handler key={key} {...form} of="success" />;
        return (
          <Stack key={key} gap="xl">
            <Handler {...form} of="error" />
            <FailureNoticesForm {...form} />
          </Stack>
        );
      }}
    </Panel>
  );
}

/** Opens the first tab once: the address changes while it loads. */
function FirstTab({ workspace }: { workspace: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a redirect happens once
  useEffect(() => void navigate({ to: "/w/$ws/settings/$tab", params: { ws: workspace, tab: "general" }, replace: true }), []);
  return null;
}

function Webhooks({ workspace }: { workspace: string }) {
  const source = useMemo(() => workspaceSource(workspace), [workspace]);
  const [saves, setSaves] = useState(0);
  const endpoints = useEndpoints(source);
  return (
    <Stack gap="xl">
      <Text>{webhooksText.why}</Text>
      <Panel query={endpoints} guide="events#endpoints">
        {(listed) => (
          <>
            <WorkspaceWebhook
              key={saves}
              workspace={workspace}
              source={source}
              webhook={listed.find(({ id }) => id === OWN_ENDPOINT)}
              onSaved={() => setSaves(saves + 1)}
            />
            <Endpoints workspace={workspace} source={source} endpoints={listed.filter(({ id }) => id !== OWN_ENDPOINT)} />
            <Deliveries source={source} endpoints={listed} />
          </>
        )}
      </Panel>
    </Stack>
  );
}
