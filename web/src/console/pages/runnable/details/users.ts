import type { Reply } from "../../../../../../contract/client/operation.ts";

type Mention = Reply<"objects.usedBy">[number];

/** An object that uses another one. `http`: a trigger that is an HTTP route. */
export interface User {
  kind: Exclude<Mention["kind"], "trigger"> | "trigger" | "http";
  path: string;
  places: string[];
}

/** Collects the places in the same object. */
export function groupUsers(mentions: readonly Mention[]): User[] {
  const users = new Map<string, User>();
  for (const { kind, trigger_kind: triggerKind, path, where } of mentions) {
    const name = `${kind} ${triggerKind} ${path}`;
    const user = users.get(name) ?? { kind: triggerKind === "http" ? "http" : kind, path, places: [] };
    user.places.push(where);
    users.set(name, user);
  }
  return [...users.values()];
}
