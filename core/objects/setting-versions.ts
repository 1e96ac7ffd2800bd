import { createHash } from "node:crypto";
import { settingsSchema } from "../../contract/routes/workspaces/setting-schemas.ts";
import { type ExpectedVersions, getVersion, requireVersion } from "./version.ts";
import type { StoredObject } from "./write.ts";

/** The version of a setting that is not set. */
const ABSENT = "-";

/** Returns the version of a setting that is one item. */
export const versionOfSetting = (stored: StoredObject | undefined): string => (stored ? getVersion(stored) : ABSENT);

/** Returns the version of a value that is one of several in an item, so that a change of the others leaves it as it is. */
export const versionOfValue = (value: string | readonly unknown[] | undefined): string =>
  value === undefined ? ABSENT : createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

const { workspace_id: _, events: __, ...named } = settingsSchema.shape;
/** The settings that have versions. That of `webhook` includes the types of its events. */
export type VersionedSetting = keyof typeof named;

/** Returns the version of all settings: that of each, so that a write of one setting compares its own part alone. */
export const joinVersions = (versions: Readonly<Partial<Record<VersionedSetting, string>>>): string =>
  (Object.keys(named) as VersionedSetting[]).map((name) => `${name}:${versions[name] ?? ABSENT}`).join(";");

/** Returns the versions of one setting that the versions of all settings contain. A version without a part for it stays as it is. */
export function selectVersions(name: VersionedSetting, expected: ExpectedVersions | undefined): ExpectedVersions | undefined {
  const start = `${name}:`;
  return expected?.map((version) => {
    const part = version.split(";").find((each) => each.startsWith(start));
    return part === undefined ? version : part.slice(start.length);
  });
}

interface SettingExpectation {
  name: VersionedSetting;
  version: string;
  expected: ExpectedVersions | undefined;
}

/** Checks that a setting has one of the versions that a caller expects. Throws `object.versionChanged`. */
export function requireSettingVersion(
  stored: Pick<StoredObject, "changed"> | undefined,
  { name, version, expected }: SettingExpectation,
): void {
  requireVersion({ version, changed: stored?.changed }, { path: name, expected: selectVersions(name, expected) });
}
