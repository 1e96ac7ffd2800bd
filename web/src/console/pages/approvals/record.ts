import type { ApprovalEntry } from "../../../../../contract/approval-record.ts";
import type { VerifiedRecord } from "../../../../../contract/routes/approvals/approval-records.ts";
import { approvalsText } from "../../messages/approvals.ts";

/** The first entries of a page may repeat the last ones of the previous page. */
export const distinctEntries = (entries: readonly ApprovalEntry[]): ApprovalEntry[] => [
  ...new Map(entries.map((entry) => [`${entry.root} ${entry.n}`, entry])).values(),
];

/** The author of a decision. The name is optional in a link, and a timeout has no author. */
export function whoDecided({ what, who }: Pick<ApprovalEntry, "what" | "who">): string {
  if (who.name || who.email)
    return who.name && who.email && who.name !== who.email ? `${who.name} (${who.email})` : (who.name ?? who.email ?? "");
  return what === "expired" ? approvalsText.nobody : approvalsText.holder;
}

/** Adds the verification of more runs to that of the runs before them. Each one verifies all anchors. */
export const addVerified = (sum: VerifiedRecord | undefined, more: VerifiedRecord): VerifiedRecord =>
  sum
    ? {
        ...more,
        ok: sum.ok && more.ok,
        runs: sum.runs + more.runs,
        entries: sum.entries + more.entries,
        faults: [
          ...sum.faults,
          ...more.faults.filter(({ run }) => run !== undefined || !sum.faults.some((fault) => fault.run === undefined)),
        ],
      }
    : more;
