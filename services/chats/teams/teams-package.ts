import { strToU8, zipSync } from "fflate";
import { shortenText } from "../../../core/notifications/event.ts";
import { drawIcon } from "./icon.ts";

const NAME = "svc approvals";
const ACCENT = "#2f6f4f";
const WHITE = [255, 255, 255, 255] as const;
const GREEN = [47, 111, 79, 255] as const;
const TRANSPARENT = [0, 0, 0, 0] as const;
const SHORT_CHARS = 80;
/** Files of an archive have a time. With a fixed one, the same request has the same reply. */
const MODIFIED = new Date("2000-01-01T12:00:00Z");

/**
 * Builds the manifest of the Teams app of a bot (https://learn.microsoft.com/microsoftteams/platform/resources/schema/manifest-schema). It contains nothing that its own address
 * does not state, so it can be made before the resource exists.
 */
export function buildTeamsManifest(baseUrl: string, { workspace, path, app_id: app }: { workspace: string; path: string; app_id: string }) {
  const { host } = new URL(baseUrl);
  const description = `Requests for approval from ${host}, workspace ${workspace}, by the resource ${path}`;
  return {
    $schema: "https://developer.microsoft.com/json-schemas/teams/v1.22/MicrosoftTeams.schema.json",
    manifestVersion: "1.22",
    version: "1.0.0",
    id: app,
    developer: { name: host.slice(0, 32), websiteUrl: baseUrl, privacyUrl: baseUrl, termsOfUseUrl: baseUrl },
    name: { short: NAME, full: NAME },
    description: { short: shortenText(description, SHORT_CHARS), full: description },
    icons: { color: "color.png", outline: "outline.png" },
    accentColor: ACCENT,
    defaultInstallScope: "team",
    bots: [{ botId: app, scopes: ["team", "groupChat", "personal"], isNotificationOnly: false, supportsFiles: false }],
    validDomains: [host],
  };
}

/** Builds the app package: a zip archive with the manifest and the two icons that Teams requires. */
export function buildTeamsPackage(baseUrl: string, resource: { workspace: string; path: string; app_id: string }): Buffer {
  const manifest = JSON.stringify(buildTeamsManifest(baseUrl, resource), null, 2);
  const files = {
    "manifest.json": strToU8(manifest),
    "color.png": drawIcon(192, WHITE, GREEN),
    "outline.png": drawIcon(32, WHITE, TRANSPARENT),
  };
  return Buffer.from(zipSync(files, { mtime: MODIFIED }));
}
