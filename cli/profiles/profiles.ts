import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { makePrivateFolder, writePrivateFile } from "../private-file.ts";

/** A workspace of a service, with the token for it. */
export interface Profile {
  url: string;
  workspace: string;
  token: string;
  /** Whether `svc login` has created the token by a code. Then `svc logout` deletes it. */
  device?: boolean | undefined;
}
export interface Profiles {
  active?: string | undefined;
  profiles: Record<string, Profile>;
}

/** Returns the folder of the profiles: `$SVC_CONFIG_DIR`, otherwise the one of the XDG specification. */
function configFolder({ SVC_CONFIG_DIR: svcFolder, XDG_CONFIG_HOME: xdg } = process.env): string {
  return svcFolder || join(xdg || join(homedir(), ".config"), "svc");
}

/** Returns the path of a file in the folder of the profiles, which no repository can write. */
export const configFile = (name: string): string => join(configFolder(), name);

/** Replaces a file in the folder of the profiles. Only its owner may read it. */
export function writeConfigFile(name: string, content: string): void {
  makePrivateFolder(configFolder());
  writePrivateFile(configFile(name), content);
}

/** Returns the path of the file of profiles. */
export const profilesFile = (): string => configFile("profiles.json");

export function readProfiles(): Profiles {
  let text: string;
  try {
    text = readFileSync(profilesFile(), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
    throw error;
  }
  try {
    const { active, profiles } = JSON.parse(text) as Profiles;
    return { active, profiles: Object.assign(Object.create(null) as Record<string, Profile>, profiles) };
  } catch {
    throw new CommandError(`${profilesFile()} is not a file of profiles. Repair it, or delete it and log in again.`);
  }
}

/** Replaces the profiles. The file contains tokens, so only its owner may read it. */
export function writeProfiles(profiles: Profiles): void {
  writeConfigFile("profiles.json", `${JSON.stringify(profiles, undefined, 2)}\n`);
}
