import type { ApprovalEntry } from "../../contract/approval-record.ts";

const columns: Record<string, (entry: ApprovalEntry) => string | number | boolean | undefined> = {
  at: ({ atMs }) => new Date(atMs).toISOString(),
  run: ({ root }) => root,
  flow: ({ flow }) => flow,
  flow_path: ({ flowPath }) => flowPath,
  flow_version: ({ flowVersion }) => flowVersion,
  code: ({ code }) => code,
  gate: ({ gate }) => gate,
  module: ({ module }) => module,
  what: ({ what }) => what,
  decides: ({ decides }) => decides,
  name: ({ who }) => who.name,
  email: ({ who }) => who.email,
  resume_id: ({ who }) => who.resumeId,
  reason: ({ reason }) => reason,
  values: ({ values }) => (values?.place?.in === "head" ? values.place.json : undefined),
  values_digest: ({ values }) => values?.digest,
  shown: ({ shown }) => shown,
  n: ({ n }) => n,
  prev: ({ prev }) => prev,
  hash: ({ hash }) => hash,
};

/** RFC 4180. For reading: the chain is computed from the JSON. */
export function recordCsv(entries: readonly ApprovalEntry[]): string {
  const rows = entries.map((entry) => Object.values(columns).map((value) => cell(value(entry))));
  return [Object.keys(columns), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Spreadsheets compute what begins like a formula, whoever wrote it: an apostrophe before it makes it text. */
function cell(value: string | number | boolean | undefined): string {
  if (typeof value !== "string") return String(value ?? "");
  const text = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u.test(value) ? `'${value}` : value;
  return /[",\r\n;\t']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
