import type { MemberOf } from "../../parts/people/members.tsx";

interface FolderRights {
  owners: readonly string[];
  /** True: may write. */
  extra_perms: Readonly<Record<string, boolean>>;
}

/** Returns who has access to a folder: its owners, and the others by their permission. */
export function membersOf(folder: FolderRights | undefined): MemberOf[] {
  if (!folder) return [];
  const { owners, extra_perms } = folder;
  const others = Object.entries(extra_perms).filter(([name]) => !owners.includes(name));
  return [
    ...owners.map((name) => ({ name, right: "owner" as const })),
    ...others.map(([name, mayWrite]) => ({ name, right: mayWrite ? ("write" as const) : ("read" as const) })),
  ];
}
