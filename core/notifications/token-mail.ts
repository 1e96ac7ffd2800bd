import type { TokenExpiry } from "../people/token-expiry.ts";
import { formatTime } from "./text.ts";

/** Builds the mail to the owner of a token that expires within a week, or has expired. It contains the first characters of the token, as the list of tokens does. */
export function buildTokenMail(entry: TokenExpiry, type: "TokenExpiringSoon" | "TokenExpired") {
  const { prefix, label, workspace, expiresAtMs } = entry;
  const name = label ? `"${label}"` : prefix;
  const token = label ? `Your token "${label}", which begins with ${prefix},` : `Your token that begins with ${prefix}`;
  const scope = workspace === undefined ? "" : ` It works in the workspace ${workspace} only.`;
  if (type === "TokenExpiringSoon")
    return {
      subject: `Your token ${name} expires on ${formatTime(expiresAtMs).slice(0, 10)}`,
      lines: [
        `${token} expires at ${formatTime(expiresAtMs)}.${scope}`,
        "Programs that use it are refused from then on. If you still need it, create a new token, replace the old one in these programs, and delete the old one.",
      ],
    };
  return {
    subject: `Your token ${name} has expired`,
    lines: [
      `${token} expired at ${formatTime(expiresAtMs)} and was deleted.`,
      "Programs that use it are now refused. If you still need it, create a new token and replace the old one in these programs.",
    ],
  };
}
