import { Container } from "@mantine/core";
import { Ask } from "./ask.tsx";
import { Broken } from "./broken.tsx";
import type { Address } from "./data/address.ts";
import { Refused } from "./data/api.ts";
import { useApproval } from "./data/use-approval.ts";
import { Failed, Loading, NotYet } from "./notes.tsx";
import { Outcome } from "./outcome.tsx";

const NO_ADDRESS = new Refused(404, "approval.link", "This approval link is incomplete or invalid.");

export function Page({ address }: { address: Address | undefined }) {
  return (
    <Container component="main" size="sm">
      <Broken>{address ? <Approval address={address} /> : <Failed refused={NO_ADDRESS} />}</Broken>
    </Container>
  );
}

function Approval({ address }: { address: Address }) {
  const approval = useApproval(address);
  switch (approval.phase) {
    case "loading":
      return <Loading />;
    case "failed":
      return <Failed refused={approval.refused} onRetry={approval.reload} maySignIn={address.token === undefined} />;
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
