import { useCallback, useEffect, useRef, useState } from "react";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import type { Address } from "./address.ts";
import { type Decision, decide, loadInfo, Refused } from "./api.ts";
import { lookAgainMs } from "./look-again.ts";

export type Approval =
  | { phase: "loading" }
  | { phase: "failed"; refused: Refused; reload: () => void }
  /** The step has not asked yet. */
  | { phase: "empty"; info: ApprovalInfo }
  | {
      phase: "ready";
      info: ApprovalInfo;
      said: Said | undefined;
      decide: (decision: Decision) => Promise<Refused | undefined>;
      reload: () => void;
    };

/** What the visitor has decided on this page. */
export type Said = "approved" | "rejected";

interface Known {
  info?: ApprovalInfo;
  refused?: Refused;
}

/** The approval as it is now: loaded, decided, and looked at again for as long as it can change and somebody sees the page. */
export function useApproval(address: Address): Approval {
  const [{ info, refused }, setKnown] = useState<Known>({});
  const [said, setSaid] = useState<Said>();

  const load = useCallback(async () => {
    try {
      setKnown({ info: await loadInfo(address) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Whoever reads the page goes on reading where only this look failed.
      setKnown((before) => (before.info && (error.status === 0 || error.status >= 500) ? before : { refused: error }));
    }
  }, [address]);
  useEffect(() => void load(), [load]);
  useLooks(info, load);

  if (refused) {
    const reload = () => {
      setKnown({});
      void load();
    };
    return { phase: "failed", refused, reload };
  }
  if (!info) return { phase: "loading" };
  if (info.state === "waiting") return { phase: "empty", info };
  const send = async (decision: Decision): Promise<Refused | undefined> => {
    try {
      await decide(address, decision);
      setSaid(decision.approved ? "approved" : "rejected");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Decided by somebody else meanwhile, or signed out: what is true now is shown.
      if ([401, 403, 404, 409].includes(error.status)) await load();
      return error;
    }
    await load();
    return undefined;
  };
  return { phase: "ready", info, said, decide: send, reload: () => void load() };
}

function useLooks(info: ApprovalInfo | undefined, load: () => Promise<void>): void {
  const looks = useRef({ state: "", count: 0 });
  useEffect(() => {
    if (!info) return;
    const state = `${info.state} ${info.run_state} ${info.approvers.length}`;
    looks.current = { state, count: looks.current.state === state ? looks.current.count + 1 : 0 };
    const again = lookAgainMs(info, looks.current.count);
    if (again === undefined) return;
    const look = () => {
      if (document.visibilityState === "visible") void load();
    };
    const timer = setTimeout(look, again);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [info, load]);
}
