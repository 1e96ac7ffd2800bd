/** The part of a call that names the changed object. It is never more than a name, because bodies contain secrets. */
export type NamedByCall =
  | { readonly param: string }
  | { readonly query: string }
  /** A field of the body, or `otherwise` if the body lacks it. */
  | { readonly body: string; readonly otherwise?: string }
  /** A parameter with the first characters of a token. A caller may send a whole token. */
  | { readonly tokenPrefix: string }
  | { readonly text: string };

/**
 * The name of the changed object in the audit log. `reply`: the call does not contain the name. `named`: the handler returns it with its
 * reply (`nameAuditedResource`); `text`: the reply is the name; `token`: the reply is a token, of which the entry has the first characters.
 * `none`: the workspace or the instance itself, or several objects.
 */
export type AuditedResource = NamedByCall | { readonly reply: "named" | "text" | "token"; readonly before?: NamedByCall } | "none";

/** The entry that each call of a changing route has in the audit log. */
export interface AuditRule {
  readonly kind: "Created" | "Updated" | "Delete";
  readonly resource: AuditedResource;
  /** The call changes several objects one after the other. Its entry remains if a later step is refused. */
  readonly inSteps?: true;
  /** The entry is in the log of the instance, because the call deletes that of the workspace. */
  readonly inInstance?: true;
}

/**
 * The record of a change without such an entry. `useCase`: the use case writes an entry, because only it knows the caller. `approvalLog`: the
 * log of approvals. `job`: the job of the runner. `nothing`: the call changes only keys, limits, notices or data that only its user sees.
 */
export type RecordedElsewhere = "useCase" | "approvalLog" | "job" | "nothing";

/** Stored secrets that a route decrypts for its caller. Each read has an entry in the audit log. */
export type RevealedSecret = "variable" | "resource" | "storage keys" | "archive" | "encryption key" | "webhook secret";
