/**
 * The purposes of components, which their `custom_id` contains. `approve` and `reject`: the buttons of a message. `form` and `reason`: the modals that
 * these buttons open. `again`: the button that opens a form with faults once more.
 */
const actions = ["approve", "reject", "form", "reason", "again"] as const;
export type DiscordAction = (typeof actions)[number];

const UUID_BYTES = 16;
/** Three UUIDs as base64url. */
const CUSTOM_ID = /^svc\.([a-z]+)\.([A-Za-z0-9_-]{64})$/;

/** Returns the `custom_id` of a component. Discord allows 100 characters, and the text of `toReference` has 110, so it contains the bytes of the UUIDs. */
export function toCustomId(action: DiscordAction, reference: string): string {
  const bytes = Buffer.from(reference.replace(/[.-]/g, ""), "hex");
  return `svc.${action}.${bytes.toString("base64url")}`;
}

/** Parses the text of `toCustomId`; `undefined` for any other text. */
export function parseCustomId(text: string): { action: DiscordAction; reference: string } | undefined {
  const [, name, encoded = ""] = CUSTOM_ID.exec(text) ?? [];
  const action = actions.find((each) => each === name);
  if (!action) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  const uuids = [0, 1, 2].map((index) => toUuid(bytes.subarray(index * UUID_BYTES, (index + 1) * UUID_BYTES)));
  return { action, reference: uuids.join(".") };
}

const toUuid = (bytes: Buffer) => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
