import { Failed, Loading } from "../shared/notes.tsx";
import { Refused } from "../shared/service.ts";
import { Ask } from "./ask.tsx";
import type { Address } from "./data/address.ts";
import { useApproval } from "./data/use-approval.ts";
import { NotYet } from "./notes.tsx";
import { Outcome } from "./outcome.tsx";

const NO_ADDRESS = new Refused(404, "approval.link", "This approval link is incomplete or invalid.");

export function Page({ address }: { address: Address | undefined }) {
  return address ? <Approval address={address} /> : <Failed refused={NO_ADDRESS} />;
}

function Approval({ address }: { address: Address }) {
  const approval = useApproval(address);
  switch (approval.phase) {
    case "loading":
      return <Loading subject="the approval" />;
    case "failed": {
      const { refused, reload } = approval;
      return <Failed refused={refused} onRetry={reload} signInWhy={maySignIn(refused, address) ? SIGN_IN_WHY : undefined} />;
    }
    case "empty":
      return <NotYet info={approval.info} />;
    case "ready":
      return approval.info.state === "open" ? (
        <Ask address={address} approval={approval} />
      ) : (
        <Outcome info={approval.info} verdict={approval.verdict} />
      );
  }
}

const SIGN_IN_WHY = "Sign in as an approver to see this request.";

/** A visitor without a link may be unknown to the service. */
const maySignIn = ({ status }: Refused, { token }: Address) => status === 401 || (token === undefined && [403, 404].includes(status));
