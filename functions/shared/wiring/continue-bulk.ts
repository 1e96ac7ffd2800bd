import { flowCancellation, type StopFlowDeps } from "../../../services/flows/lifecycle/cancel.ts";
import type { Collaborators, Uses } from "../../../services/uses.ts";

/** Continues an action on many jobs. */
export const connectBulk =
  (deps: StopFlowDeps & Uses<"objects">): Collaborators["continueBulk"] =>
  async (message) => {
    // Loaded on first use, so that the functions start faster.
    const { continueBulk } = await import("../../../services/bulk/continue-bulk.ts");
    await continueBulk({ ...deps, onJobCanceled: [flowCancellation(deps)] }, message);
  };
