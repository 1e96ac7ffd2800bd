import {
  type Anchor,
  type ApprovalEntry,
  type ChainFault,
  findLostHead,
  verifyAnchors,
  verifyChain,
} from "../../contract/approval-record.ts";
import type { RecordRead } from "./read.ts";

export interface Checked {
  /** Returns one sentence for each run with a fault, and for the anchors. */
  faults: string[];
  runs: number;
  entries: number;
  anchors: number;
  signedTo: string | undefined;
}

/** Verifies a downloaded record independently of the service. Only KMS can check the signatures. */
export function checkRecord(workspace: string, { entries, anchors }: RecordRead): Checked {
  const chains = Map.groupBy(entries, ({ root }) => root);
  const heads = Map.groupBy(
    anchors.flatMap((anchor) => anchor.heads),
    ({ root }) => root,
  );
  const faults: string[] = [];
  for (const root of new Set([...chains.keys(), ...heads.keys()])) {
    const chain = (chains.get(root) ?? []).toSorted((a, b) => a.n - b.n);
    const fault = chainFault(workspace, root, chain, heads.get(root) ?? []);
    if (fault) faults.push(fault);
  }
  const fault = verifyAnchors(anchors, workspace);
  if (fault) faults.push(`Anchor ${fault.n} ${says[fault.why]}.`);
  for (const { n, signature } of anchors) if (signature !== "valid") faults.push(`Anchor ${n} has an invalid signature.`);
  return { faults, runs: chains.size, entries: entries.length, anchors: anchors.length, signedTo: anchors.at(-1)?.day };
}

function chainFault(workspace: string, root: string, chain: ApprovalEntry[], heads: Anchor["heads"]): string | undefined {
  const fault = verifyChain(chain, { workspace, root });
  if (fault) return `Run ${root}, entry ${fault.n} ${says[fault.why]}.`;
  const lost = findLostHead(heads, chain);
  return lost && `Run ${root}, entry ${lost.n} was signed but is missing or was changed.`;
}

const says: Record<ChainFault["why"], string> = {
  missing: "is missing",
  foreign: "belongs to another run or workspace",
  changed: "does not match its hash",
  broken: "does not follow the previous entry",
  values: "has values that do not match its digest",
};
