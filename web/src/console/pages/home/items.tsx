import { Stack, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { listOpened, mergeRecent, type Recent } from "../../data/recent.ts";
import { Panel } from "../../frame/panel.tsx";
import { homeText } from "../../messages/home.ts";
import { ofPeople } from "../runs/query.ts";
import { Section } from "./section.tsx";

const SHOWN = 10;
/** Several runs may be of one item. */
const RUNS_READ = 50;
const addressOf = { script: "/w/$ws/scripts/$", flow: "/w/$ws/flows/$" } as const;

export const favoritesQuery = (workspace: string) =>
  queryOptions({ queryKey: [workspace, "favorites"], queryFn: ({ signal }) => call.favorites.list({ workspace, signal }) });

/** Reads the items that the person has opened in this browser, and started in any. */
export const recentQuery = (workspace: string, username: string) =>
  queryOptions({
    queryKey: [workspace, "recent", username],
    queryFn: async ({ signal }) => {
      const runs = await call.jobs.list({ workspace, query: { ...ofPeople, created_by: username, per_page: RUNS_READ }, signal });
      const started = runs.flatMap(({ job_kind, script_path, created_at }): Recent[] =>
        script_path && (job_kind === "script" || job_kind === "flow")
          ? [{ kind: job_kind, path: script_path, atMs: Date.parse(created_at) }]
          : [],
      );
      return mergeRecent(started, listOpened(workspace, username)).slice(0, SHOWN);
    },
  });

/** The starred scripts and flows. Apps have no page yet. */
export function Favorites({ workspace }: { workspace: string }) {
  const favorites = useQuery(favoritesQuery(workspace));
  return (
    <Section title={homeText.favorites}>
      <Panel
        query={favorites}
        guide="console#home"
        isEmpty={(found) => found.length === 0}
        empty={<Text c="dimmed">{homeText.noFavorites}</Text>}
      >
        {(found) => (
          <Stack component="ul" gap={4} className="plain-list">
            {found.map(({ kind, path, summary }) =>
              kind === "app" ? null : (
                <li key={`${kind} ${path}`}>
                  <ItemLink workspace={workspace} kind={kind} path={path}>
                    {summary && ` – ${summary}`}
                  </ItemLink>
                </li>
              ),
            )}
          </Stack>
        )}
      </Panel>
    </Section>
  );
}

/** The scripts and flows that the person used last. */
export function RecentItems({ workspace, username }: { workspace: string; username: string }) {
  const recent = useQuery(recentQuery(workspace, username));
  return (
    <Section title={homeText.recent}>
      <Panel
        query={recent}
        guide="console#home"
        isEmpty={(found) => found.length === 0}
        empty={<Text c="dimmed">{homeText.noRecent}</Text>}
      >
        {(found) => (
          <Stack component="ul" gap={4} className="plain-list">
            {found.map(({ kind, path, atMs }) => (
              <li key={`${kind} ${path}`}>
                <ItemLink workspace={workspace} kind={kind} path={path}>
                  {" "}
                  <Ago at={new Date(atMs).toISOString()} />
                </ItemLink>
              </li>
            ))}
          </Stack>
        )}
      </Panel>
    </Section>
  );
}

interface ItemLinkProps extends Pick<Recent, "kind" | "path"> {
  workspace: string;
  /** Follows the link. */
  children: ReactNode;
}

function ItemLink({ workspace, kind, path, children }: ItemLinkProps) {
  return (
    <>
      <Link to={addressOf[kind]} params={{ ws: workspace, _splat: path }}>
        {path}
      </Link>
      {children}
    </>
  );
}
