import { useParams } from "@tanstack/react-router";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { NotFound } from "../../frame/page-failed.tsx";
import { accountText } from "../../messages/account.ts";
import { AddressTabs } from "../../parts/address-tabs.tsx";
import { Preferences } from "./preferences.tsx";
import { Tokens } from "./tokens.tsx";

const Invitations = loadOnDemand(() => import("../../parts/people/invitations.tsx"), null);

const ChatAccounts = loadOnDemand(() => import("./chat-accounts.tsx"));

const contents = { tokens: Tokens, "chat-accounts": ChatAccounts, preferences: Preferences } as const;
const isTab = (tab: string): tab is keyof typeof contents => Object.hasOwn(contents, tab);

/** Shows what belongs to the signed-in user and to no workspace. */
export default function AccountPage() {
  const { tab = "" } = useParams({ strict: false });
  if (!isTab(tab)) return <NotFound />;
  const Content = contents[tab];
  return (
    <Page title={accountText.title}>
      <Invitations />
      <AddressTabs
        label={accountText.tabList}
        tabs={accountText.tabs}
        linkTo={(name) => ({ to: "/account/$tab", params: { tab: name } })}
      />
      <Content />
    </Page>
  );
}
