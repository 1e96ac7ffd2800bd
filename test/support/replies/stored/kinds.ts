import { type ChildKind, childPrefix } from "../../../../core/jobs/lists/child-items.ts";
import type { StoredObject } from "../../../../core/objects/write.ts";
import { storedObjects } from "../../../../core/stored-objects.ts";
import type { StoredTables } from "../../use-cases/stored/stored-state.ts";
import type { Stage } from "../exchange.ts";

const needsProvider = "It needs an identity provider.";
/** The next state contains them. */
const isLater = "Release 0.3 had none.";
const isLock = "A lock that lasts for seconds or minutes.";
const isNewer = "Release 0.3 did not have the kind.";

/** The kinds of the objects table of which no state is stored, each with its reason. */
const unstoredObjects: Readonly<Record<string, string>> = {
  "key of sign-ins": needsProvider,
  "completed sign-in": needsProvider,
  "entry of the search": isLater,
  "source in the search": isLater,
  "state of the search": isLater,
  "list of favorites": isLater,
  "saved filter of runs": isLater,
  preferences: isLater,
  "open stream": isLock,
  "push of a deployment": isLock,
  "saved input": isNewer,
  "arguments of a saved input": isNewer,
  "links that show a run": isNewer,
  "types of a source": isNewer,
  "bulk action": isNewer,
  "part of a bulk action": isNewer,
  "upload in parts": isNewer,
  "due rotation": isNewer,
  "credential of a chat": isNewer,
  "key of credentials of chats": isNewer,
  "link of a chat account": isNewer,
  "chat account": isNewer,
  "chat account of a user": isNewer,
  "team of a bot": isNewer,
  "chat of a bot": isNewer,
  "object of a simple kind": "svc has no simple kind.",
};

/** The kinds of a job's items of which no state is stored, each with its reason. */
const unstoredItems: Readonly<Partial<Record<ChildKind, string>>> = {
  parkedJob: "It lasts while a step waits for a slot of its group.",
  chatMessage: "Release 0.3 posted no messages.",
  sharedFolder: "Only a runner makes the folder.",
};

type Key = { pk: string; sk: string };

/** Returns whether an item is of a kind. Kinds that share a partition differ in a sort key that all items of the kind have. */
function isOf({ key, holds }: (typeof storedObjects)[number], item: Key): boolean {
  const build = key as unknown as (...parts: string[]) => Key;
  const [first, second] = [build(..."11111"), build(..."22222")];
  return holds(item) && (first.sk !== second.sk || first.sk === item.sk);
}

const keyOf = ({ pk, sk }: StoredTables["objects"][number]): Key => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });

/** Returns the kinds of which the states contain nothing, without a reason for it, and those that have a reason and are contained. */
export function findUnstoredKinds(states: readonly StoredTables[]): string[] {
  const items = states.flatMap(({ objects }) => objects.map(keyOf));
  const refs = states.flatMap(({ jobs }) => jobs.map((item) => keyOf(item).sk));
  return [
    ...storedObjects
      .filter((kind) => items.some((item) => isOf(kind, item)) === kind.name in unstoredObjects)
      .map(({ name }) => `objects: ${name}`),
    ...Object.entries(childPrefix)
      .filter(([name, prefix]) => refs.some((ref) => ref.startsWith(prefix)) === name in unstoredItems)
      .map(([name]) => `jobs: ${name}`),
  ];
}

/** Returns the items of a stage's objects table that no kind can read. Expired ones are not read any more. */
export async function findUnreadableItems({ world }: Stage, { objects, atMs }: StoredTables): Promise<string[]> {
  const unreadable: string[] = [];
  const live = objects.filter(({ ttl }) => ttl?.N === undefined || Number(ttl.N) * 1000 > atMs);
  for (const item of live.map(keyOf)) {
    const stored = await world.deps.objects.get(item);
    const kinds = storedObjects.filter((kind) => isOf(kind, item));
    if (!stored || !kinds.some((kind) => canParse(kind, stored))) unreadable.push(`${item.pk} ${item.sk}`);
  }
  return unreadable;
}

function canParse({ parse }: (typeof storedObjects)[number], stored: StoredObject): boolean {
  try {
    parse(stored);
    return true;
  } catch {
    // The caller lists the item.
    return false;
  }
}
