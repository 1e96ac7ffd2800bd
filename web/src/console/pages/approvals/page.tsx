import { Button, Group, Tabs } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { Hint } from "../../parts/hint.tsx";
import { OpenRuns } from "./open-runs.tsx";
import { focusLine } from "./request-list.tsx";
import { Waiting } from "./waiting.tsx";

const ApprovalHere = loadOnDemand(() => import("../../parts/approval/approval.tsx"));
const Decided = loadOnDemand(() => import("./decided.tsx"));

const tabs = ["waiting", "all", "decided"] as const;

/** The requests that wait for a decision, and the record of decisions. */
export default function ApprovalsPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const offered = tabs.filter((name) => name !== "decided" || isOffered("approvals.audit", member));
  const tab = offered.find((name) => name === search["tab"]) ?? "waiting";
  const open = search["open"];
  const openAtFirst = useRef(open).current;
  return (
    <Page title={approvalsText.title}>
      <Hint name="approvals" guide="console#approvals" />
      <Tabs
        value={tab}
        onChange={(name) =>
          void navigate({ to: ".", search: { tab: name === "waiting" ? undefined : (name ?? undefined) }, replace: true })
        }
      >
        <Tabs.List aria-label={approvalsText.tabList}>
          {offered.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {approvalsText.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {offered.map((name) => (
          <Tabs.Panel key={name} value={name} pt="md">
            {name === tab && (
              <div className="inbox" data-open={open !== undefined && tab !== "decided"}>
                {tab === "waiting" && <Waiting workspace={workspace} open={open} />}
                {tab === "all" && <OpenRuns workspace={workspace} open={open} />}
                {tab === "decided" && <Decided workspace={workspace} />}
                {open !== undefined && tab !== "decided" && (
                  <ApprovalHere
                    key={open}
                    workspace={workspace}
                    id={open}
                    focus={open !== openAtFirst}
                    about={<About workspace={workspace} search={search} />}
                  />
                )}
              </div>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

/** Leads from a request to its run, and back to the list. */
function About({ workspace, search }: { workspace: string; search: Search }) {
  const navigate = useNavigate();
  const run = search["run"];
  return (
    <Group gap="sm" mt={4}>
      {run && (
        <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: run }}>
          {approvalsText.openRun}
        </Link>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          void navigate({ to: ".", search: { ...search, open: undefined, run: undefined }, replace: true });
          if (search["open"]) focusLine(search["open"]);
        }}
      >
        {approvalsText.close}
      </Button>
    </Group>
  );
}
