/**
 * The prefixes of the child items of a job's head in table `jobs`, which are defined only here. Prefixes are short because DynamoDB bills every
 * byte of a key. No prefix begins with another one, so that a query by prefix finds one kind of item.
 */
export const childPrefix = {
  /** The journal of a flow (core/flows/journal.ts). */
  outcome: "m#",
  progress: "w#",
  listEnd: "s#",
  /** The jobs of a flow's steps that wait for a concurrency slot, and those that are erased after the flow's end. */
  parkedJob: "p#",
  erasure: "e#",
  /** Values that the scripts of a flow set through the API. */
  userState: "u#",
  /** The location of the shared folder of a flow's steps. */
  sharedFolder: "x#shared@",
  /** Tokens of the tasks that wait for a nested flow. */
  taskToken: "task#",
  /** On the first job of a run: its gates. On a flow's job: approvals that arrived before a step requested them. */
  gatePointer: "gate#",
  preApproval: "early#",
  /** The deliveries of the notices of a flow's gates. */
  delivery: "delivery#",
  /** The messages in chats that ask for a decision of a flow's gates. */
  chatMessage: "chat#",
  /** Chunks of output, and the secrets that output must not show. */
  output: "log#",
  mask: "mask#",
  /** Values that are too large for the item that refers to them. */
  args: "args#",
  code: "code#",
  reusedSteps: "reused#",
  result: "end#",
  redacted: "shown#",
  approval: "approval#",
} as const;
export type ChildKind = keyof typeof childPrefix;

/** The reference of a child item. */
export const childRef = (kind: ChildKind, name: string): string => `${childPrefix[kind]}${name}`;

/** The name in a reference of this kind; `undefined` for a reference of another kind. */
export const childName = (kind: ChildKind, ref: string): string | undefined =>
  ref.startsWith(childPrefix[kind]) ? ref.slice(childPrefix[kind].length) : undefined;
