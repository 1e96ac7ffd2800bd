import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { isOffered } from "../../access/actions.ts";
import { memberQuery, meQuery, useNearestWorkspace, workspacesQuery } from "../../data/me.ts";
import { useTheme } from "../../data/preferences.ts";
import { actionText, frameText } from "../../messages/frame.ts";
import { itemsText } from "../../messages/items.ts";
import { openShortcuts } from "../shortcuts.tsx";
import { useSignOut } from "../sign-out.ts";

interface ActionEntry {
  id: string;
  label: string;
  open: () => void;
}

const schemes = ["light", "dark", "auto"] as const;

/** The actions of the command palette that the user is offered and whose names contain a text. An empty text shows none. */
export function useActions(text: string): readonly ActionEntry[] {
  const navigate = useNavigate();
  const [, setTheme] = useTheme();
  const current = useNearestWorkspace();
  const { data: me } = useQuery(meQuery);
  const { data: member } = useQuery({ ...memberQuery(current), enabled: current !== "" });
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const leave = useSignOut();
  const needle = text.toLowerCase();
  if (needle === "") return [];
  const instance = { label: frameText.instance, open: () => void navigate({ to: "/instance/$tab", params: { tab: "webhooks" } }) };
  const actions = [
    {
      label: actionText.newToken,
      open: () => void navigate({ to: "/account/$tab", params: { tab: "tokens" }, search: { new: "true" } }),
    },
    { label: frameText.account, open: () => void navigate({ to: "/account/$tab", params: { tab: "tokens" } }) },
    ...(current && member && isOffered("scripts.create", member)
      ? [
          { label: itemsText.newScript, open: () => void navigate({ to: "/w/$ws/scripts/new", params: { ws: current } }) },
          { label: itemsText.newFlow, open: () => void navigate({ to: "/w/$ws/flows/new", params: { ws: current } }) },
        ]
      : []),
    ...(me?.super_admin ? [instance] : []),
    ...workspaces.flatMap(({ id, name }) =>
      id === current ? [] : [{ label: actionText.switchTo(name), open: () => void navigate({ to: "/w/$ws", params: { ws: id } }) }],
    ),
    ...schemes.map((scheme) => ({ label: actionText.theme(frameText.themes[scheme]), open: () => setTheme(scheme) })),
    { label: frameText.shortcuts, open: openShortcuts },
    { label: frameText.signOut, open: () => void leave() },
  ];
  return actions.filter(({ label }) => label.toLowerCase().includes(needle)).map((action) => ({ ...action, id: `action ${action.label}` }));
}
