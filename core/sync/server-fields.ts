/** The fields that the service sets on objects. A file with one of these would differ after each push (api.md §6.2). */
const STAMPED = new Set([
  ...["workspace_id", "path", "hash", "archived", "id", "version_id", "starred", "error", "server_id", "last_server_ping"],
  ...["email", "permissioned_as", "edited_by", "deleted", "address", "last_failures", "is_refreshed", "is_expired", "refresh_error"],
]);
const STAMPED_GROUP = /^(created|edited|updated)_/;

/** Returns whether the service sets a field, whatever a file states. */
export const isServerField = (name: string): boolean => STAMPED.has(name) || STAMPED_GROUP.test(name);

/** Returns the fields of an object that an author sets: without those of the service, null and undefined. */
export function removeServerFields(fields: object): Record<string, unknown> {
  const authorFields = Object.entries(fields).filter(([name, value]) => value !== null && value !== undefined && !isServerField(name));
  return Object.fromEntries(authorFields);
}
