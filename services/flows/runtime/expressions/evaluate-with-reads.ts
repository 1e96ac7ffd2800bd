import { describeError, isSvcError } from "../../../../contract/errors.ts";
import { limits } from "../../../../contract/limits.ts";
import { createSecretReadEntries } from "../../../../core/audit/entry.ts";
import type { EvaluatedAs } from "../../../../core/expressions/interpret.ts";
import { toAuditItem } from "../../../audit/audit.ts";
import { findReaders } from "../../../resources/find-readers.ts";
import { resolveReferences } from "../../../resources/resolve.ts";
import type { Uses } from "../../../uses.ts";
import type { StepContext } from "../step-context.ts";
import { evaluateExpression } from "./evaluate-expression.ts";

interface Evaluation {
  expression: string;
  names: Readonly<Record<string, unknown>>;
  /** Variables and resources that were already read, by their references. */
  reads?: Map<string, unknown>;
  as?: EvaluatedAs;
}

/** Evaluates an expression that may read variables and resources: each one that it requests is read, and then it is evaluated again. */
export async function evaluateWithReads(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  reader: Pick<StepContext, "flow" | "secrets">,
  { expression, names, reads = new Map(), as = "json" }: Evaluation,
): Promise<{ ok: true; value: unknown } | { ok: false; reason: string }> {
  for (;;) {
    const found = await evaluateExpression(expression, names, { reads, as });
    if (found.ok || found.missingReference === undefined) return found;
    if (reads.size >= limits.expressionReads) {
      return { ok: false, reason: `it reads more than ${limits.expressionReads} variables and resources.` };
    }
    try {
      reads.set(found.missingReference, await resolveForFlow(deps, reader, found.missingReference));
    } catch (error) {
      if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
      return { ok: false, reason: describeError(error).sentence };
    }
  }
}

/** Reads that this process has already recorded, by flow and path, because the iterations of a loop read the same ones repeatedly. */
const recorded = new Set<string>();
const RECORDED_MOST = 10_000;

/** Resolves the references in a value with the rights of the flow's job. Adds secrets to those of the step, and records their reads in the audit log. */
export async function resolveForFlow(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  { flow, secrets }: Pick<StepContext, "flow" | "secrets">,
  value: unknown,
): Promise<unknown> {
  const readers = findReaders(deps, flow);
  const found = await resolveReferences(deps, readers, flow.workspace, value);
  for (const secret of found.secrets) secrets.add(secret);
  const fresh = found.secretPaths.filter((path) => !recorded.has(`${flow.id} ${path}`));
  if (fresh.length > 0) {
    const [reader] = await readers;
    const entries = createSecretReadEntries(flow, reader?.username ?? flow.createdBy, fresh, deps.nowMs());
    await Promise.all(entries.map((entry) => deps.objects.put(toAuditItem(entry))));
    if (recorded.size >= RECORDED_MOST) recorded.clear();
    for (const path of fresh) recorded.add(`${flow.id} ${path}`);
  }
  return found.value;
}
