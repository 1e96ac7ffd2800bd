import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { usersText as text } from "../../messages/objects/people.ts";
import { type Consequences, findConsequences } from "./find-consequences.ts";

/** Shows which objects run with the rights of a user, before the user is removed. */
export function RemovalConsequences({ workspace, username }: { workspace: string; username: string }) {
  const found = useQuery({
    queryKey: [workspace, "consequences of the removal", username],
    queryFn: async ({ signal }) => {
      const page = (number: number) => ({ page: number, per_page: 1000 });
      const [schedules, routes, folders, user] = await Promise.all([
        readAll((number) => call.schedules.list({ workspace, query: page(number), signal })),
        readAll((number) => call.http_triggers.list({ workspace, query: page(number), signal })),
        readAll((number) => call.folders.list({ workspace, query: page(number), signal })),
        call.users.get({ workspace, username, signal }),
      ]);
      return findConsequences(username, { schedules, routes, folders, groups: user.groups ?? [] });
    },
    gcTime: 0,
  });
  return <Panel query={found}>{(consequences) => <Listed workspace={workspace} consequences={consequences} />}</Panel>;
}

const MOST_PAGES = 20;
const PER_PAGE = 1000;

async function readAll<T>(load: (page: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const items = await load(page);
    all.push(...items);
    if (items.length < PER_PAGE) break;
  }
  return all;
}

const MOST_SHOWN = 20;

function Listed({ workspace, consequences }: { workspace: string; consequences: Consequences }) {
  const { schedules, routes, folders, groups } = consequences;
  const paths = (label: string, listed: readonly string[]) =>
    listed.length > 0 && (
      <li>
        {label}: {listed.slice(0, MOST_SHOWN).join(", ")}
        {listed.length > MOST_SHOWN && ` ${text.andMore(listed.length - MOST_SHOWN)}`}
      </li>
    );
  const isEmpty = [schedules, routes, folders, groups].every((listed) => listed.length === 0);
  if (isEmpty) return <Text size="sm">{text.noConsequences}</Text>;
  return (
    <section aria-label={text.consequences}>
      <Text fw={600}>{text.consequences}</Text>
      <ul>
        {paths(text.schedulesStop(schedules.length), schedules)}
        {paths(text.routesStop(routes.length), routes)}
        {paths(text.foldersLose(folders.length), folders)}
        {paths(text.groupsLose(groups.length), groups)}
      </ul>
      {schedules.length > 0 && (
        <Link to="/w/$ws/schedules" params={{ ws: workspace }}>
          {text.openSchedules}
        </Link>
      )}
    </section>
  );
}
