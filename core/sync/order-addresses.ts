import { fieldsOf, type SyncItem } from "./item.ts";

/** A change of an item: its version in the workspace and the new version. */
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

/**
 * Kinds whose items have a unique address, with functions that read and replace it. A queue has no interim address, because each queue must exist
 * and belong to the workspace. No push changes a username.
 */
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

/** The kinds whose items have addresses. */
export const addressedKinds: readonly string[] = Object.keys(addresses);

/** Returns whether items of a kind have addresses. */
export const hasAddresses = (kind: string): boolean => Object.hasOwn(addresses, kind);

const addressOf = (kind: string, item: SyncItem | undefined): string | undefined => item && addresses[kind]?.read(fieldsOf(item));

/** `stuck`: exchanges of addresses for which no order of steps exists, because none of the items can have an interim address. */
interface AddressOrder<T> {
  groups: AddressStep<T>[][];
  rest: T[];
  stuck: T[][];
}

/**
 * Orders the changes of one kind. An item gets an address only after the item that has it was saved or deleted. If items exchange their addresses, one of
 * them is saved with an interim address first. The steps of a group are independent. `rest`: deletions that no other change needs.
 */
export function orderAddresses<T extends AddressedChange>(changes: readonly T[]): AddressOrder<T> {
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
  const stuck: T[][] = [];
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
    // Each remaining change waits for another one, so some of them exchange their addresses.
    const exchange = findExchange(waiting[0] as T, holderFor);
    const parked = exchange[0] as T;
    freed.add(parked);
    const interim = parked.before && addresses[parked.kind]?.interim?.(parked.before.path);
    if (parked.before && interim) {
      groups.push([{ change: parked, interim: { ...parked.before, value: { ...fieldsOf(parked.before), ...interim } } }]);
    } else stuck.push(exchange);
  }
  return { groups, rest, stuck };
}

/** Follows the holders of addresses from a change until they repeat. Returns the changes that wait for each other. */
function findExchange<T>(first: T, holderFor: (change: T) => T | undefined): T[] {
  const followed: T[] = [];
  let next: T | undefined = first;
  while (next !== undefined && !followed.includes(next)) {
    followed.push(next);
    next = holderFor(next);
  }
  return next === undefined ? followed : followed.slice(followed.indexOf(next));
}

/** Describes the changes that no push can make, each in a sentence: an exchange of addresses without an interim one, and a changed username. */
export function describeImpossibleChanges(changes: readonly AddressedChange[]): string[] {
  const renamed = changes.filter(({ kind, before, after }) => kind === "user" && before && after && !isEqualAddress(kind, before, after));
  const renames = renamed.map(
    ({ before, after }) =>
      `${before?.path}: a push cannot change the username ${addressOf("user", before)} to ${addressOf("user", after)}. Remove the member, push, and add the member again.`,
  );
  const others = changes.filter((change) => hasAddresses(change.kind) && !renamed.includes(change));
  const exchanges = [...Map.groupBy(others, ({ kind }) => kind)].flatMap(([kind, some]) =>
    orderAddresses(some).stuck.map((exchange) => {
      const paths = exchange.map(({ before, after }) => (after ?? before)?.path).join(", ");
      return `${paths}: a push cannot exchange the addresses of these items (${kind}). Delete one of them, push, and add it again.`;
    }),
  );
  return [...renames, ...exchanges];
}

const isEqualAddress = (kind: string, a: SyncItem, b: SyncItem): boolean => addressOf(kind, a) === addressOf(kind, b);
