import { fieldsOf, type SyncItem } from "./item.ts";

/** A change of an item: its version in the workspace, and the one that it gets. */
export interface AddressedChange {
  kind: string;
  before?: SyncItem | undefined;
  after?: SyncItem | undefined;
}

/** A step of a push. `interim`: the version that frees the item's address until its own step. */
export interface AddressStep<T> {
  change: T;
  interim?: SyncItem;
}

/** Kinds whose items have an address that no two items may have at once, and how to read and to replace it. */
const addresses: Readonly<Record<string, { read: (fields: Fields) => string | undefined; interim?: (path: string) => Fields }>> = {
  http_trigger: {
    read: ({ http_method: method, route_path: route, workspaced_route: isWorkspaced }) =>
      typeof route === "string" ? `${String(method)} ${isWorkspaced === true} ${route.replace(/:[^/]+/g, ":")}` : undefined,
    interim: (path) => ({ route_path: `svc-moving/${path}` }),
  },
  email_trigger: {
    read: ({ local_part: part, workspaced_local_part: isWorkspaced }) =>
      typeof part === "string" ? `${isWorkspaced === true} ${part.toLowerCase()}` : undefined,
    interim: (path) => ({ local_part: `moving-${path.toLowerCase().replace(/[^a-z0-9]/g, "-")}`.slice(0, 60).replace(/-+$/, "") }),
  },
  sqs_trigger: { read: ({ queue_url: url }) => (typeof url === "string" ? url : undefined) },
  app: {
    read: ({ custom_path: path }) => (typeof path === "string" && path !== "" ? path : undefined),
    interim: () => ({ custom_path: "" }),
  },
  user: { read: ({ username }) => (typeof username === "string" ? username : undefined) },
};
type Fields = Record<string, unknown>;

/** Returns whether items of a kind have addresses. */
export const hasAddresses = (kind: string): boolean => Object.hasOwn(addresses, kind);

const addressOf = (kind: string, item: SyncItem | undefined): string | undefined => item && addresses[kind]?.read(fieldsOf(item));

/**
 * Orders the changes of one kind. An item gets an address only after the item that has it was saved or deleted. If items exchange their addresses, one of
 * them is saved with an interim address first. The steps of a group are independent. `rest`: deletions that no other change needs.
 */
export function orderAddresses<T extends AddressedChange>(changes: readonly T[]): { groups: AddressStep<T>[][]; rest: T[] } {
  const holders = new Map<string, T>();
  for (const change of changes) {
    const [old, next] = [addressOf(change.kind, change.before), addressOf(change.kind, change.after)];
    if (old !== undefined && old !== next) holders.set(old, change);
  }
  const holderFor = (change: T): T | undefined => {
    const address = addressOf(change.kind, change.after);
    const holder = address === undefined ? undefined : holders.get(address);
    return holder === change ? undefined : holder;
  };
  const needed = new Set(changes.flatMap((change) => holderFor(change) ?? []));
  const rest = changes.filter((change) => change.after === undefined && !needed.has(change));
  let waiting = changes.filter((change) => !rest.includes(change));
  const freed = new Set<T>();
  const groups: AddressStep<T>[][] = [];
  while (waiting.length > 0) {
    const ready = waiting.filter((change) => {
      const holder = holderFor(change);
      return holder === undefined || freed.has(holder);
    });
    if (ready.length > 0) {
      groups.push(ready.map((change) => ({ change })));
      for (const change of ready) freed.add(change);
      waiting = waiting.filter((change) => !ready.includes(change));
      continue;
    }
    // All of the rest wait for each other, so each holds an address.
    const parked = waiting[0] as T;
    freed.add(parked);
    const interim = parked.before && addresses[parked.kind]?.interim?.(parked.before.path);
    if (parked.before && interim) {
      groups.push([{ change: parked, interim: { ...parked.before, value: { ...fieldsOf(parked.before), ...interim } } }]);
    }
  }
  return { groups, rest };
}
