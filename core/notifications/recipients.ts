import { assertNever } from "../../contract/utilities/assert-never.ts";
import { parsePrincipal } from "../permissions/principal.ts";

/** A member of the gate's workspace, as returned by `listMembers`. */
export interface MailRecipient {
  email: string;
  username: string;
  is_admin: boolean;
  disabled: boolean;
  groups?: readonly string[] | undefined;
}

/**
 * Returns the e-mail addresses of the approvers, each once, without disabled users. `disabled`: the addresses of disabled users outside the
 * workspace.
 */
export function selectRecipients(people: readonly string[], members: readonly MailRecipient[], disabled: ReadonlySet<string>): string[] {
  const off = new Set([...disabled, ...members.filter((member) => member.disabled).map(({ email }) => email)].map(lower));
  const found = people.flatMap((principal) => resolvePrincipal(principal, members)).filter((address) => !off.has(lower(address)));
  const first = new Map<string, string>();
  for (const address of found) if (!first.has(lower(address))) first.set(lower(address), address);
  return [...first.values()];
}

/** Returns the principals that are e-mail addresses. */
export const selectAddresses = (people: readonly string[]): string[] => people.filter((principal) => principal.includes("@"));

function resolvePrincipal(text: string, members: readonly MailRecipient[]): string[] {
  const principal = parsePrincipal(text);
  const are = (matches: (member: MailRecipient) => boolean) => members.filter(matches).map(({ email }) => email);
  switch (principal.kind) {
    case "admins":
      return are(({ is_admin }) => is_admin);
    case "group":
      return are(({ groups }) => groups?.includes(principal.name) ?? false);
    case "user":
      return are(({ username }) => username === principal.name);
    case "address":
      return selectAddresses([principal.email]);
    default:
      return assertNever(principal);
  }
}

const lower = (address: string) => address.toLowerCase();
