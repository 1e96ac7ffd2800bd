import { UsageError } from "../errors.ts";
import { type Profile, type Profiles, readProfiles } from "./profiles.ts";

/** The service and the workspace of a command. */
export interface Target extends Profile {
  /** The profile that contains the token. */
  profile?: string | undefined;
  /** The setting that names the workspace, otherwise the one that names the service. */
  source: string;
}

export interface TargetFlags {
  url?: string | undefined;
  token?: string | undefined;
  /** The name of a profile, otherwise the id of a workspace. */
  workspace?: string | undefined;
}

/** A workspace of `svc.yaml`. */
export interface ConfiguredWorkspace {
  url?: string | undefined;
  workspace?: string | undefined;
  /** Whether the flag or the variable names this workspace of `svc.yaml`: then the name is neither a profile nor an id. */
  isNamed?: boolean | undefined;
}

/** Returns the name of the workspace in the flag or the variable, and which of them contains it. */
export function readNamedWorkspace({ workspace }: Pick<TargetFlags, "workspace">): { name: string; source: string } | undefined {
  if (workspace !== undefined) return { name: workspace, source: "--workspace" };
  const name = process.env["SVC_WORKSPACE"];
  return name ? { name, source: "SVC_WORKSPACE" } : undefined;
}

/**
 * Returns the target of a command. Flags take precedence over the variables `SVC_URL`, `SVC_TOKEN` and `SVC_WORKSPACE`, these over `svc.yaml`,
 * and `svc.yaml` over the active profile. A repository must not decide who receives a token: a token of a profile is used only at the service of
 * the profile, and one of a flag or a variable only at a service that a flag, a variable or the person's profile names. Throws `UsageError`
 * otherwise.
 */
export function findTarget(flags: TargetFlags, configured: ConfiguredWorkspace = {}, stored: Profiles = readProfiles()): Target {
  const { SVC_URL, SVC_TOKEN } = process.env;
  const named = readNamedWorkspace(flags);
  const ownUrl = flags.url ?? (SVC_URL || undefined);
  const ownToken = flags.token ?? (SVC_TOKEN || undefined);
  const requested = {
    url: ownUrl ?? configured.url,
    workspace: configured.isNamed ? configured.workspace : (named?.name ?? configured.workspace),
  };
  const profile = findProfile(stored, requested);
  const found = profile === undefined ? undefined : stored.profiles[profile];
  // The path of an address of svc.yaml could lead to another receiver at the same origin.
  const url = ownUrl ?? found?.url ?? configured.url;
  const workspace = profile !== undefined && profile === requested.workspace ? found?.workspace : (requested.workspace ?? found?.workspace);
  if (url === undefined) throw new UsageError("No service is known. Run: svc login <url>");
  if (ownToken !== undefined && ownUrl === undefined)
    requireOwnService(url, findProfile(stored, { workspace: configured.isNamed ? undefined : named?.name }), stored);
  const token = ownToken ?? found?.token;
  if (token === undefined) throw new UsageError(describeUnknown(url, ownUrl === undefined));
  const urlSource = flags.url ? "--url" : SVC_URL ? "SVC_URL" : configured.url ? "svc.yaml" : `profile ${profile}`;
  const source = named?.source ?? (configured.workspace ? "svc.yaml" : found?.workspace ? `profile ${profile}` : urlSource);
  const owner = ownToken === undefined ? profile : undefined;
  return { url: url.replace(/\/+$/, ""), token, workspace: workspace ?? "", profile: owner, source };
}

/** A login to a service that a repository chooses could pass the person's confirmation, and with it a token, to another service. */
const describeUnknown = (url: string, isOfRepository: boolean): string =>
  isOfRepository
    ? `svc.yaml chooses ${url}, and no token for it is known. If you trust this address, run: svc login ${url}`
    : `No token for ${url} is known. Run: svc login ${url}`;

/** Throws `UsageError` unless the service is the one of the profile that the person has chosen: `svc.yaml` may name any other. */
function requireOwnService(url: string, profile: string | undefined, { profiles }: Profiles): void {
  const chosen = profile === undefined ? undefined : profiles[profile];
  if (chosen && originOf(chosen.url) === originOf(url)) return;
  throw new UsageError(
    `svc.yaml chooses ${url}, and a token of --token or SVC_TOKEN is sent only to a service that you choose. If you trust this address, add --url ${url}, or set SVC_URL.`,
  );
}

/**
 * Returns the profile with the requested name, otherwise the one of the requested service and workspace, otherwise one of the requested service.
 */
function findProfile(
  { active, profiles }: Profiles,
  { url, workspace }: { url?: string | undefined; workspace?: string | undefined },
): string | undefined {
  const isAt = (profile: Profile) => url === undefined || originOf(profile.url) === originOf(url);
  const names = Object.keys(profiles).filter((name) => isAt(profiles[name] as Profile));
  if (workspace !== undefined && names.includes(workspace)) return workspace;
  const ofWorkspace = names.filter((name) => profiles[name]?.workspace === workspace);
  const preferred = workspace === undefined || ofWorkspace.length === 0 ? names : ofWorkspace;
  return preferred.find((name) => name === active) ?? (url === undefined && workspace === undefined ? undefined : preferred[0]);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
