import { type Query, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";
import { Refused } from "../../shared/service.ts";
import type { Address } from "./address.ts";
import { type Decision, decide, loadInfo } from "./api.ts";
import { refetchIntervalMs } from "./refetch-interval.ts";

export type Approval =
  | { phase: "loading" }
  | { phase: "failed"; refused: Refused; reload: () => void }
  /** The step has not opened its request yet. */
  | { phase: "empty"; info: ApprovalInfo }
  | {
      phase: "ready";
      info: ApprovalInfo;
      verdict: Verdict | undefined;
      decide: (decision: Decision) => Promise<Refused | undefined>;
      reload: () => void;
    };

/** The visitor's own decision on this page. */
export type Verdict = "approved" | "rejected";

type ApprovalQuery = Query<ApprovalInfo, Error>;

/** Loads the request at an address, sends the decision, and refetches for as long as the request can change and the page is visible. */
export function useApproval(address: Address): Approval {
  const [verdict, setVerdict] = useState<Verdict>();
  const intervalOf = useRefetchInterval();
  const {
    data: info,
    error,
    refetch,
    isFetching,
  } = useQuery<ApprovalInfo>({
    queryKey: ["approval", address],
    queryFn: () => loadInfo(address),
    refetchInterval: intervalOf,
    refetchOnWindowFocus: (query) => intervalOf(query) !== false,
  });

  // If a refetch cannot reach the service, the page remains unchanged.
  if (error && !(info && isUnanswered(error))) {
    if (isFetching) return { phase: "loading" };
    if (!(error instanceof Refused)) throw error;
    return { phase: "failed", refused: error, reload: () => void refetch() };
  }
  if (!info) return { phase: "loading" };
  if (info.state === "waiting") return { phase: "empty", info };
  const send = async (decision: Decision): Promise<Refused | undefined> => {
    try {
      await decide(address, decision);
      setVerdict(decision.approved ? "approved" : "rejected");
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      // Another visitor decided first, or the session has ended: show the current state.
      if ([401, 403, 404, 409].includes(refused.status)) await refetch();
      return refused;
    }
    await refetch();
    return undefined;
  };
  return { phase: "ready", info, verdict, decide: send, reload: () => void refetch() };
}

const isUnanswered = (error: Error) => error instanceof Refused && (error.status === 0 || error.status >= 500);

/** Counts the fetches since the request last changed, so that an unchanged one is fetched less often. */
function useRefetchInterval(): (query: ApprovalQuery) => number | false {
  const seen = useRef({ state: "", fetches: 0 });
  return ({ state: { data: info, error, dataUpdateCount, errorUpdateCount } }) => {
    if (!info || (error && !isUnanswered(error))) return false;
    const state = `${info.state} ${info.run_state} ${info.approvers.length}`;
    const fetches = dataUpdateCount + errorUpdateCount;
    if (seen.current.state !== state) seen.current = { state, fetches };
    return refetchIntervalMs(info, fetches - seen.current.fetches) ?? false;
  };
}
