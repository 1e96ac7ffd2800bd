import type * as z from "zod";

/**
 * A kind of objects at paths that are plain fields. Its routes, storage, permissions, scopes, place in archives, files and commands derive from its
 * definition (docs/how-to-change.md). Its name is that of its export in `simple-kinds.ts`: one lower-case word, whose plural ends with `s`.
 */
export interface SimpleKind {
  /** The fields that its author sets, as requests, files and the table contain them. `path` is none of them, nor is a field that the service sets. */
  readonly fields: z.ZodObject;
  /** The columns of the list that the CLI prints. */
  readonly columns: readonly string[];
}

/** Checks the type of a definition and returns it. */
export const defineSimpleKind = <const Kind extends SimpleKind>(kind: Kind): Kind => kind;
