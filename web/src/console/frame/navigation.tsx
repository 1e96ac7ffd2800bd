import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Refused } from "../../shared/service.ts";
import { isOffered } from "../access/actions.ts";
import { memberQuery, useNearestWorkspace } from "../data/me.ts";
import { countText, usePolledWaiting } from "../data/waiting.ts";
import { frameText } from "../messages/frame.ts";

/** The pages of a workspace, in their order, with their addresses below `/w/{ws}`. */
export const pages = [
  { name: "home", to: "/w/$ws" },
  { name: "runs", to: "/w/$ws/runs" },
  { name: "items", to: "/w/$ws/items" },
  { name: "approvals", to: "/w/$ws/approvals" },
  { name: "schedules", to: "/w/$ws/schedules" },
  { name: "triggers", to: "/w/$ws/triggers" },
  { name: "routes", to: "/w/$ws/routes" },
  { name: "variables", to: "/w/$ws/variables" },
  { name: "resources", to: "/w/$ws/resources" },
  { name: "files", to: "/w/$ws/files" },
  { name: "folders", to: "/w/$ws/folders" },
  { name: "groups", to: "/w/$ws/groups" },
  { name: "users", to: "/w/$ws/users" },
] as const;
/** The pages that only some members are offered, each with the operation that its members may call. */
const offeredPages = [
  { name: "audit", to: "/w/$ws/audit", operation: "audit.list" },
  { name: "settings", to: "/w/$ws/settings", operation: "workspaces.editWebhook" },
] as const;

/** Returns the pages of a workspace that its member is offered. */
export function usePages(workspace: string) {
  const { data: member } = useQuery({ ...memberQuery(workspace), enabled: workspace !== "" });
  return [...pages, ...offeredPages.filter(({ operation }) => member && isOffered(operation, member))];
}

export function Navigation({ isOpen }: { isOpen: boolean }) {
  const workspace = useNearestWorkspace();
  const offered = usePages(workspace);
  const { error } = useQuery({ ...memberQuery(workspace), enabled: workspace !== "" });
  // Someone who may not enter the workspace finds no page in it.
  if (!workspace || (error instanceof Refused && error.status === 404)) return <div />;
  return (
    <nav className="frame-nav" aria-label={frameText.workspace} data-open={isOpen}>
      <ul>
        {offered.map(({ name, to }) => (
          <li key={name}>
            <Link to={to} params={{ ws: workspace }} activeOptions={{ exact: name === "home" }} activeProps={{ "aria-current": "page" }}>
              {frameText.pages[name]}
              {name === "approvals" && <WaitingCount workspace={workspace} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The number of requests that wait for the user. */
function WaitingCount({ workspace }: { workspace: string }) {
  const count = countText(usePolledWaiting(workspace).data);
  if (count === "") return null;
  return (
    <>
      {" "}
      <span className="nav-count">{count}</span>
      <span className="hidden"> {frameText.waiting}</span>
    </>
  );
}
