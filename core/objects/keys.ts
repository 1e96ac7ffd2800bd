export interface ObjectKey {
  pk: string;
  sk: string;
}

/** Every kind of item in the table. */
export const keys = {
  workspace: (workspace: string): ObjectKey => ({ pk: "WORKSPACES", sk: workspace }),
  user: (email: string): ObjectKey => ({ pk: "USERS", sk: email.toLowerCase() }),
  folder: (workspace: string, name: string): ObjectKey => ({ pk: `F#${workspace}`, sk: name }),
  token: (hash: string): ObjectKey => ({ pk: `TOKEN#${hash}`, sk: "token" }),
  /** A user's tokens by prefix, so that they can be listed and deleted without their values. */
  userToken: (email: string, prefix: string, hash: string): ObjectKey => ({
    pk: `USER#${email.toLowerCase()}`,
    sk: `token#${prefix}#${hash}`,
  }),
  publicKey: (kid: string): ObjectKey => ({ pk: "KEYS", sk: kid }),
  /** A script's newest version as running it needs it: read for every run. */
  scriptHead: (workspace: string, path: string): ObjectKey => ({ pk: `R#${workspace}#${path}`, sk: "head" }),
  /** The same script as lists show it. */
  scriptListing: (workspace: string, path: string): ObjectKey => ({ pk: `S#${workspace}`, sk: path }),
  version: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "head" }),
  versionBody: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "body" }),
  versionLock: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "lock" }),
  history: (workspace: string, path: string, atMs: number, hash: string): ObjectKey => ({
    pk: `H#${workspace}#${path}`,
    sk: `${String(atMs).padStart(14, "0")}#${hash}`,
  }),
  artefact: (key: string): ObjectKey => ({ pk: `A#${key}`, sk: "artefact" }),
  /** What an idempotent call has started; `hash` is over who calls, what, and with which key. */
  idempotency: (hash: string): ObjectKey => ({ pk: `IDEMPOTENCY#${hash}`, sk: "key" }),
  outbox: (workspace: string, id: string): ObjectKey => ({ pk: `OUTBOX#${workspace}`, sk: id }),
};
