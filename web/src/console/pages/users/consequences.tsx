import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { usersText as text } from "../../messages/objects/people.ts";
import { readPages } from "../../parts/read-pages.ts";
import { loadTriggers } from "../triggers/load-triggers.ts";
import { type Consequences, findConsequences } from "./find-consequences.ts";

/** Shows which objects run with the rights of a user, before the user is removed. */
export function RemovalConsequences({ workspace, username }: { workspace: string; username: string }) {
  const found = useQuery({
    queryKey: [workspace, "consequences of the removal", username],
    queryFn: async ({ signal }) => {
      const [schedules, routes, triggers, folders, user, { tokens }] = await Promise.all([
        readPages((query) => call.schedules.list({ workspace, query, signal })),
        readPages((query) => call.http_triggers.list({ workspace, query, signal })),
        loadTriggers(workspace, signal),
        readPages((query) => call.folders.list({ workspace, query, signal })),
        call.users.get({ workspace, username, signal }),
        call.users.countTokens({ workspace, username, signal }),
      ]);
      return { tokens, ...findConsequences(username, { schedules, routes, triggers, folders, groups: user.groups ?? [] }) };
    },
    gcTime: 0,
  });
  return <Panel query={found}>{(consequences) => <Listed workspace={workspace} consequences={consequences} />}</Panel>;
}

const MOST_SHOWN = 20;

function Listed({ workspace, consequences }: { workspace: string; consequences: Consequences & { tokens: number } }) {
  const { schedules, routes, triggers, folders, groups, tokens } = consequences;
  const paths = (label: string, listed: readonly string[]) =>
    listed.length > 0 && (
      <li>
        {label}: {listed.slice(0, MOST_SHOWN).join(", ")}
        {listed.length > MOST_SHOWN && ` ${text.andMore(listed.length - MOST_SHOWN)}`}
      </li>
    );
  const isEmpty = tokens === 0 && [schedules, routes, triggers, folders, groups].every((listed) => listed.length === 0);
  if (isEmpty) return <Text size="sm">{text.noConsequences}</Text>;
  return (
    <section aria-label={text.consequences}>
      <Text fw={600}>{text.consequences}</Text>
      <ul>
        {paths(text.schedulesStop(schedules.length), schedules)}
        {paths(text.routesStop(routes.length), routes)}
        {paths(text.triggersStop(triggers.length), triggers)}
        {tokens > 0 && <li>{text.tokensEnd(tokens)}</li>}
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
