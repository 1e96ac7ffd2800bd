import type { AccessDomain, Action } from "../../contract/access/access-rule.ts";
import { SvcError } from "../../contract/errors.ts";
import type { EventType } from "../../contract/events.ts";
import type { ExpectedVersions } from "../../core/objects/version.ts";
import type { Expectation, ObjectKey, StoredObject } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import type { SearchText } from "../../core/search/index-items.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { NewEvent } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";

/** The writer of an object. Without an actor, the service itself writes. */
export type Writer = Pick<WorkspaceCaller, "workspace"> & { actor?: Actor | undefined };

/** An object before and after a write: one of them is absent if the write creates or deletes it. */
export interface BeforeAndAfter<T> {
  before: T | undefined;
  after: T | undefined;
}

/**
 * A kind of object that exists once at each path of a workspace. `Deps` and `Sent`: the dependencies of its sealed copies, and the data of a
 * request that they need.
 */
export interface PathKind<T, Deps extends Uses<"objects" | "nowMs"> = Uses<"objects" | "nowMs">, Sent = undefined> {
  key: (workspace: string, path: string) => ObjectKey;
  parse: (stored: StoredObject) => T;
  /** The kind's name in extra permissions. Absent: its objects have none. */
  permissions: string | undefined;
  /** The action whose right the caller needs at the path where an object is saved. Absent: the route has checked it. */
  save: Action | undefined;
  /** Whether an object leaves its path to another one, so that a change does not find it. Absent: no object does. */
  isArchived?: ((object: T) => boolean) | undefined;
  exists: (path: string) => SvcError;
  notFound: (path: string) => SvcError;
  /** The error if other writers were first in every attempt. */
  changed: (path: string) => SvcError;
  /** Builds the parts that update the sealed copies for HTTP routes. Absent: routes read none of its objects. */
  buildCopies: ((deps: Deps, writer: Writer, objects: BeforeAndAfter<T>, sent: Sent) => Promise<TransactionPart[]>) | undefined;
  /** Returns the texts that users search. Absent: the search does not find the kind here. */
  toSearchText?: (object: T) => SearchText;
  /** Called after a conflict, before the next attempt. `earlier`: the number of attempts before the one with the conflict. */
  onConflict?: (workspace: string, earlier: number) => void | Promise<void>;
  /** The maximum number of attempts while other writers interfere. Absent: that of `retryOnConflict`. */
  maxTries?: number;
}

/**
 * Builds a kind with the errors `object.*` and without sealed copies, whose objects can be shared. The right to save one is that of the route
 * `<domain>.update`. A kind that differs replaces these properties.
 */
export const buildPathKind = <T>(kind: string, domain: AccessDomain, { key, parse }: Pick<PathKind<T>, "key" | "parse">): PathKind<T> => ({
  key,
  parse,
  permissions: kind,
  save: {
    name: `${domain}.update`,
    access: { domain, verb: "write", need: "write", target: "path", hiddenAs: "object.notFound" },
  },
  exists: (path) => new SvcError("object.exists", { kind, path }),
  notFound: (path) => new SvcError("object.notFound", { kind, path }),
  changed: (path) => new SvcError("object.changedMeanwhile", { kind, path }),
  buildCopies: undefined,
});

/** The event of a write, without the fields that the writer adds. */
export type WriteEvent = { [Type in EventType]: Pick<NewEvent<Type>, "type" | "data"> }[EventType];

/** An object that a write moves to another path, or removes. */
export interface Source {
  path: string;
  unchanged: Expectation;
  /** The error if it was changed or removed. `undefined`: another writer was first. */
  refused: SvcError | undefined;
}

/** The change that a write makes to an object that was read. */
export interface Change<T, Sent = undefined> {
  /** The object in its stored form. */
  value: T;
  /** Absent: the item gets a random version. `kept`: the change makes no new version. Otherwise that of the kind, with the state of its build. */
  version?: "kept" | Required<Pick<StoredObject, "version" | "build">>;
  /** The object that this one follows at another path. Absent: the one that was read. */
  from?: Source | undefined;
  /** Parts whose conditions decide before that of the object. */
  conditions?: TransactionPart[];
  /** Further writes of the kind in the same transaction. */
  parts?: TransactionPart[];
  event?: WriteEvent;
  /** The data of the request that the sealed copies of the kind need. */
  sent: Sent;
}

/** An object that a caller changes. */
export interface ObjectTarget extends WorkspaceCaller {
  path: string;
  /** The versions of the object that the caller has read. Absent: any. */
  expected?: ExpectedVersions | undefined;
}
