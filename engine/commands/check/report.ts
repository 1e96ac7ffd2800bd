import type { Finding } from "./findings.ts";

const MARKS = { ok: "ok", unknown: "?", limits: "limits", blocks: "BLOCKS" } as const;

/** Returns the report as text. It ends with settings that can be deployed now if the given ones cannot, or would limit something. */
export function report(findings: readonly Finding[], input: Readonly<Record<string, unknown>>): string {
  const lines = findings.flatMap(({ about, level, text, mend }) => [
    `${MARKS[level].padEnd(7)} ${about.padEnd(20)} ${text}`,
    ...(mend && level !== "ok" ? [`${" ".repeat(29)}${mend}`] : []),
  ]);
  const blocking = findings.filter(({ level }) => level === "blocks");
  const changes = Object.assign({}, ...findings.map(({ settings }) => settings)) as Record<string, unknown>;
  if (Object.keys(changes).length > 0) {
    // A change to `undefined` removes a setting, and JSON leaves it out.
    const settings = JSON.stringify({ ...input, ...changes });
    lines.push(
      "",
      "With these settings, the stack can be deployed today:",
      `  npm run aws:deploy -- -c svc='${settings.replaceAll("'", "'\\''")}'`,
    );
  }
  const withoutSettings = blocking.filter(({ settings }) => settings === undefined);
  if (withoutSettings.length > 0) lines.push("", `No setting replaces ${list(withoutSettings)}: mend it first.`);
  if (blocking.length === 0) lines.push("", "Nothing here stops a deployment.");
  return `${lines.join("\n")}\n`;
}

const list = (findings: readonly Finding[]) => [...new Set(findings.map(({ about }) => about))].join(", ");

/** Whether a deployment would fail. */
export const isBlocked = (findings: readonly Finding[]): boolean => findings.some(({ level }) => level === "blocks");
