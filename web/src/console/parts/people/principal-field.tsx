import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../data/objects-api.ts";
import { peopleText } from "../../messages/objects/people.ts";

interface PrincipalFieldProps {
  workspace: string;
  /** Whether groups can be chosen too. A user is `u/<name>` then, and a group `g/<name>`. */
  withGroups: boolean;
  value: string;
  onChange: (principal: string) => void;
}

const MOST_SHOWN = 100;

/** Chooses a user, or also a group, of a workspace. */
export function PrincipalField({ workspace, withGroups, value, onChange }: PrincipalFieldProps) {
  const users = useQuery({
    queryKey: [workspace, "usernames"],
    queryFn: ({ signal }) => call.users.listUsernames({ workspace, signal }),
  });
  const groups = useQuery({
    queryKey: [workspace, "group names"],
    queryFn: ({ signal }) => call.groups.listNames({ workspace, signal }),
    enabled: withGroups,
  });
  const names = withGroups
    ? [...(groups.data ?? []).map((name) => `g/${name}`), ...(users.data ?? []).map((name) => `u/${name}`)]
    : (users.data ?? []);
  return (
    <Select
      label={withGroups ? peopleText.member : peopleText.user}
      error={(users.error ?? groups.error)?.message}
      searchable
      limit={MOST_SHOWN}
      data={names}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? "")}
    />
  );
}
