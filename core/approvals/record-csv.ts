import { stringify } from "csv-stringify/sync";
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

/** Formats entries as CSV by RFC 4180 with a header row, for people to read. The hash chain is computed from the JSON form. */
export function formatRecordCsv(entries: readonly ApprovalEntry[]): string {
  const rows = entries.map((entry) => Object.values(columns).map((value) => value(entry)));
  return stringify([Object.keys(columns), ...rows], {
    record_delimiter: "windows",
    quoted_match: /[;\t\r\n']/,
    cast: { string: withoutFormula, boolean: String },
  });
}

/** Spreadsheets evaluate text that begins like a formula. A leading apostrophe makes it plain text. */
const withoutFormula = (text: string) => (/^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u.test(text) ? `'${text}` : text);
