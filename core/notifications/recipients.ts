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

function resolvePrincipal(principal: string, members: readonly MailRecipient[]): string[] {
  const [, space, name = ""] = /^([ug])\/(.+)$/.exec(principal) ?? [];
  const are = (wanted: (member: MailRecipient) => boolean) => members.filter(wanted).map(({ email }) => email);
  if (principal === "role:admin") return are(({ is_admin }) => is_admin);
  if (space === "g") return are(({ groups }) => groups?.includes(name) ?? false);
  if (space === "u") return are(({ username }) => username === name);
  return selectAddresses([principal]);
}

const lower = (address: string) => address.toLowerCase();
