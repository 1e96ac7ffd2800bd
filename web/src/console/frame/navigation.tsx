import { Link } from "@tanstack/react-router";
import { useNearestWorkspace } from "../data/me.ts";
import { frameText } from "../messages/frame.ts";

/** The pages of a workspace, in their order, with their addresses below `/w/{ws}`. */
export const pages = [
  { name: "home", to: "/w/$ws" },
  { name: "runs", to: "/w/$ws/runs" },
  { name: "items", to: "/w/$ws/items" },
] as const;

export function Navigation({ isOpen }: { isOpen: boolean }) {
  const workspace = useNearestWorkspace();
  if (!workspace) return <div />;
  return (
    <nav className="frame-nav" aria-label={frameText.workspace} data-open={isOpen}>
      <ul>
        {pages.map(({ name, to }) => (
          <li key={name}>
            <Link to={to} params={{ ws: workspace }} activeOptions={{ exact: name === "home" }} activeProps={{ "aria-current": "page" }}>
              {frameText.pages[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
