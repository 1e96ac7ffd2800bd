import { dueRotationObject } from "../../core/secrets/key-ring.ts";
import type { Uses } from "../uses.ts";

/** The number of workspaces whose rotations one tick continues, because each occupies an execution of function `objects` for seconds. */
const PER_TICK = 5;

/**
 * Makes function `objects`, which may open secrets, continue the rotations of keys that had no progress for a minute or ran out of time. Returns
 * their number. A rotation that is continued moves behind the others.
 */
export async function startDueRotations(deps: Uses<"isolation" | "objects" | "functions" | "nowMs">): Promise<number> {
  const { pk, sk: until } = dueRotationObject.key(deps.nowMs(), "\uffff");
  const found = await deps.objects.list(pk, { between: ["0", until], limit: PER_TICK });
  const started = await Promise.all(
    found.map((stored) =>
      deps.isolation.attempt("continueRotations", stored.sk, async () => {
        const { of, dueMs } = dueRotationObject.parse(stored);
        await deps.functions.startRotating({ rotate: of, dueMs });
      }),
    ),
  );
  return started.filter(({ ok }) => ok).length;
}
