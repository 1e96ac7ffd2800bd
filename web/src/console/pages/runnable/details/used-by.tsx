import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fact } from "../../../../shared/fact.tsx";
import { ask, call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { usedByText as text } from "../../../messages/versions.ts";
import type { Runnable } from "../use-runnable.ts";
import { groupUsers, type User } from "./users.ts";

/** A kind of object that others can use. */
type MentionedKind = Runnable["kind"] | "variable" | "resource";
type Target = Pick<Runnable, "kind" | "path">;

/** Loads the objects that use another one, and whether there may be more. */
export function useUsers(workspace: string, { kind, path }: { kind: MentionedKind; path: string }) {
  return useQuery({
    queryKey: [workspace, "users of", kind, path],
    queryFn: async ({ signal }) => {
      const { value, headers } = await ask.objects.usedBy({ workspace, kind, path, signal });
      return { users: groupUsers(value), isPartial: headers.get("x-svc-incomplete") === "true" };
    },
  });
}

/** Shows what uses a script or a flow, and counts the webhook tokens, which are secrets of their owners. */
export function UsedBy({ workspace, runnable }: { workspace: string; runnable: Target }) {
  const { kind, path } = runnable;
  const counts = useQuery({
    queryKey: [workspace, "tokens of", kind, path],
    queryFn: ({ signal }) => (kind === "flow" ? call.flows.countTriggers : call.scripts.countTriggers)({ workspace, path, signal }),
  });
  const tokens = counts.data?.webhook_count ?? 0;
  return (
    <Stack gap="xs">
      <Users workspace={workspace} kind={kind} path={path} />
      {tokens > 0 && (
        <dl className="facts">
          <Fact name={text.tokens}>{tokens}</Fact>
        </dl>
      )}
    </Stack>
  );
}

/** Shows what uses an object, as far as the reader may read it. */
export function Users({ workspace, kind, path }: { workspace: string; kind: MentionedKind; path: string }) {
  const users = useUsers(workspace, { kind, path });
  return (
    <Panel query={users}>
      {(found) => (
        <>
          {found.users.length === 0 ? (
            <Text c="dimmed">{text.nowhere}</Text>
          ) : (
            <UserList workspace={workspace} users={found.users} label={text.title} />
          )}
          {found.isPartial && <Text size="sm">{text.partial}</Text>}
        </>
      )}
    </Panel>
  );
}

/** The pages that list the objects of a kind. */
const listOf = { resource: "/w/$ws/resources", schedule: "/w/$ws/schedules", trigger: "/w/$ws/triggers", http: "/w/$ws/routes" } as const;

/** Lists objects, with links to those that have a page. */
export function UserList({ workspace, users, label }: { workspace: string; users: readonly User[]; label: string }) {
  return (
    <ul aria-label={label} className="users">
      {users.map(({ kind, path, places }) => (
        <li key={`${kind} ${path} ${places.join()}`}>
          {text.kinds[kind]} <UserName workspace={workspace} kind={kind} path={path} />{" "}
          <Text span size="sm" c="dimmed">
            {places.join(", ")}
          </Text>
        </li>
      ))}
    </ul>
  );
}

function UserName({ workspace, kind, path }: { workspace: string } & Pick<User, "kind" | "path">) {
  if (kind === "setting") return <Text span>{path}</Text>;
  if (kind === "script" || kind === "flow") {
    return (
      <Link to={kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: path }}>
        {path}
      </Link>
    );
  }
  return (
    <Link to={listOf[kind]} params={{ ws: workspace }} search={{ search: path }}>
      {path}
    </Link>
  );
}
