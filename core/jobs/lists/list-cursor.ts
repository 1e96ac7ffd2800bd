import * as z from "zod";
import { SvcError } from "../../../contract/errors.ts";

/** Jobs that have not ended are listed before those that have. */
export type ListPhase = "queue" | "completed";

/** A position in a list of jobs: its phase, and the sort key of the last job that was compared. */
export interface ListCursor {
  phase: ListPhase;
  after: string;
}

const cursorSchema = z.strictObject({ phase: z.enum(["queue", "completed"]), after: z.string().regex(/^\d{14}#[0-9a-f-]{36}$/) });

/** Formats a position as the opaque text that callers send back. */
export const formatListCursor = (cursor: ListCursor): string => Buffer.from(JSON.stringify(cursor)).toString("base64url");

/** Parses a position. Throws `query.invalid` if the text is not a cursor of a list. */
export function parseListCursor(text: string): ListCursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch (cause) {
    throw new SvcError("query.invalid", { issues: [{ path: "cursor", reason: "must be a cursor of an earlier page" }] }, { cause });
  }
}
