import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Action } from "../../contract/access/access-rule.ts";
import type { SvcError } from "../../contract/errors.ts";
import type { EventType } from "../../contract/events.ts";
import type { ExpectedVersions } from "../../core/objects/version.ts";
import type { ObjectKey, StoredObject } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { NewEvent } from "../outbox/event.ts";

export interface WriterDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Who writes an object. Without an actor it is the service itself. */
export type Writer = Pick<WorkspaceCaller, "workspace"> & { actor?: Actor | undefined };

/** An object as it is before and after a write: one of them is absent if the write creates or deletes it. */
export interface BeforeAndAfter<T> {
  before: T | undefined;
  after: T | undefined;
}

/** A kind of object that exists once at each path of a workspace. `Deps` and `Sent`: what its sealed copies need. */
export interface PathKind<T, Deps extends WriterDeps = WriterDeps, Sent = undefined> {
  key: (workspace: string, path: string) => ObjectKey;
  parse: (stored: StoredObject) => T;
  /** The kind's name in extra permissions. Absent: its objects have none. */
  permissions: string | undefined;
  /** The action whose right the caller needs at the path where an object is saved. Absent: the route has checked it. */
  save: Action | undefined;
  exists: (path: string) => SvcError;
  notFound: (path: string) => SvcError;
  /** The error when other writers have been first in every try. */
  changed: (path: string) => SvcError;
  /** Builds the parts that keep the sealed copies which HTTP routes read. Absent: routes read none of its objects. */
  buildCopies: ((deps: Deps, writer: Writer, objects: BeforeAndAfter<T>, sent: Sent) => Promise<TransactionPart[]>) | undefined;
  /** Is called after a conflict, before the next try. */
  onConflict?: (workspace: string) => void;
}

/** The event of a write, without what the writer adds. */
export type WriteEvent = { [Type in EventType]: Pick<NewEvent<Type>, "type" | "data"> }[EventType];

/** What a write does to an object that was read. */
export interface Change<T, Sent = undefined> {
  /** The object as it is stored. */
  value: T;
  /** What the kind writes in the same transaction. */
  parts?: TransactionPart[];
  event?: WriteEvent;
  /** What the sealed copies of the kind need to know about the request. */
  sent: Sent;
}

/** An object that a caller changes. */
export interface ObjectTarget extends WorkspaceCaller {
  path: string;
  /** The versions of the object that the caller has read. Absent: any. */
  expected?: ExpectedVersions | undefined;
}
