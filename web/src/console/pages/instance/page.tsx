import "../../parts/stored/stored.css";
import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { meQuery } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { NotFound } from "../../frame/page-failed.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { instanceText } from "../../messages/settings.ts";
import { instanceWebhookText } from "../../messages/webhooks.ts";
import { AddressTabs } from "../../parts/address-tabs.tsx";
import { Deliveries } from "../../parts/webhooks/deliveries/deliveries.tsx";
import { InstanceWebhook, loadReceiver } from "../../parts/webhooks/instance-webhook.tsx";
import { instanceSource } from "../../parts/webhooks/source.ts";

const tabs = {
  users: loadOnDemand(async () => ({ default: (await import("./users.tsx")).Users })),
  workspaces: loadOnDemand(async () => ({ default: (await import("./workspaces.tsx")).Workspaces })),
  settings: loadOnDemand(async () => ({ default: (await import("./instance-settings.tsx")).InstanceSettings })),
  webhooks: Webhooks,
  groups: loadOnDemand(async () => ({ default: (await import("./instance-groups.tsx")).InstanceGroups })),
};

/** Shows the settings of the instance to superadmins. */
export default function InstancePage() {
  const me = useQuery(meQuery);
  const { tab = "" } = useParams({ strict: false });
  if (!Object.hasOwn(instanceText.tabs, tab)) return <NotFound />;
  const Tab = tabs[tab as keyof typeof tabs];
  return (
    <Page title={instanceText.title}>
      {me.data?.super_admin ? (
        <>
          <AddressTabs
            label={instanceText.tabList}
            tabs={instanceText.tabs}
            linkTo={(name) => ({ to: "/instance/$tab", params: { tab: name } })}
          />
          <Tab />
        </>
      ) : (
        <Empty title={instanceText.superadminsOnly} guide="permissions#users-members-and-roles">
          <Text>{instanceText.superadminsOnlyWhy}</Text>
        </Empty>
      )}
    </Page>
  );
}

function Webhooks() {
  const receiver = useQuery({
    queryKey: [...instanceSource.key, "receiver"],
    queryFn: async ({ signal }) => {
      const [endpoints, setting] = await Promise.all([instanceSource.list(signal), loadReceiver(signal)]);
      return { endpoints, setting };
    },
  });
  return (
    <Stack gap="xl">
      <Text>{instanceWebhookText.why}</Text>
      <Panel query={receiver} guide="permissions#events-of-the-instance">
        {({ endpoints, setting }) => (
          <>
            <InstanceWebhook key={setting.version} source={instanceSource} webhook={endpoints[0]} receiver={setting} />
            <Deliveries source={instanceSource} endpoints={endpoints} />
          </>
        )}
      </Panel>
    </Stack>
  );
}
