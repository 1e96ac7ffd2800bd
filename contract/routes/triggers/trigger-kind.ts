import * as z from "zod";

/** The kinds of triggers that svc implements. Clients of other servers do not know `aws`. */
export const triggerKindSchema = z.enum(["http", "sqs", "aws", "email"]);
export type TriggerKind = z.output<typeof triggerKindSchema>;
export const triggerKinds = triggerKindSchema.options;

/**
 * The kinds that `workspaces/tarball` leaves out unless svc's own CLI requests the archive: other clients stop at a file of a kind that they do
 * not know.
 */
export const kindsOnlyInOwnArchives: ReadonlySet<TriggerKind> = new Set(["aws"]);

/** `suspended`: messages become jobs that wait until the trigger is enabled. `disabled`: messages are not received. */
export const triggerModeSchema = z.enum(["enabled", "disabled", "suspended"]);
export type TriggerMode = z.output<typeof triggerModeSchema>;
