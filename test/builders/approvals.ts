import { randomUUID } from "node:crypto";
import type { EntryContent } from "../../core/approvals/record.ts";

/** An approval that decided its gate, in its own run. */
export function aRecorded(change: Partial<EntryContent> = {}): EntryContent {
  return {
    workspace: "w",
    root: randomUUID(),
    flow: randomUUID(),
    gate: randomUUID(),
    module: "a",
    flowPath: "f/ops/pay",
    flowVersion: 3,
    code: "0123456789abcdef",
    what: "approved",
    decides: true,
    who: { name: "ann", email: "ann@example.com", resumeId: 7 },
    atMs: 1_800_000_000_000,
    shown: "ab".repeat(32),
    ...change,
  };
}
