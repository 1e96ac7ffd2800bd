import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Failed, Loading } from "../shared/notes.tsx";
import { Refused } from "../shared/service.ts";
import { Sheet } from "../shared/sheet.tsx";
import { SignIn } from "../shared/sign-in.tsx";
import { loadEmail, loadRequest } from "./api.ts";
import { Confirm } from "./confirm.tsx";
import { EnterCode } from "./enter-code.tsx";

/** A code is looked up once, because each wrong code counts as an attempt. */
const ONCE = { refetchOnWindowFocus: false, refetchOnReconnect: false, staleTime: Number.POSITIVE_INFINITY };

/** Lets a signed-in user enter the code of a device, see the request behind it, and decide. Only a press of a button decides. */
export function Page({ linkedCode }: { linkedCode: string | undefined }) {
  const [code, setCode] = useState(linkedCode);
  const [decision, setDecision] = useState<"allowed" | "refused">();
  const queries = useQueryClient();
  const user = useQuery({ queryKey: ["user"], queryFn: loadEmail, ...ONCE });
  const request = useQuery({
    queryKey: ["request", code],
    queryFn: () => loadRequest(code ?? ""),
    enabled: code !== undefined && user.data !== undefined,
    ...ONCE,
  });
  const restart = () => void queries.resetQueries();

  if (decision) return <Outcome decision={decision} />;
  if (user.isFetching) return <Loading subject="the page" />;
  const refusal = user.error ?? request.error;
  if (refusal && !(refusal instanceof Refused)) throw refusal;
  if (refusal?.status === 401) {
    return (
      <Sheet title="Sign in">
        <SignIn why="Sign in to allow or refuse a device." onSignedIn={restart} />
      </Sheet>
    );
  }
  if (user.error || user.data === undefined) return <Failed refused={refusal ?? NO_ANSWER} onRetry={restart} />;
  if (request.data) {
    return <Confirm email={user.data} request={request.data} onDecided={setDecision} onOtherUser={restart} />;
  }
  if (request.isFetching && code === linkedCode) return <Loading subject="the request" />;
  const find = (typed: string) => (typed === code ? void request.refetch() : setCode(typed));
  return <EnterCode code={code} refused={refusal ?? undefined} busy={request.isFetching} onEntered={find} />;
}

const NO_ANSWER = new Refused(0, "page.offline", "The service did not respond. Check your connection and try again.");

const outcomes = {
  allowed: { title: "Device allowed", text: "Return to your device. It is signed in within a few seconds, and you can close this page." },
  refused: { title: "Device refused", text: "The device was not signed in. You can close this page." },
} as const;

function Outcome({ decision }: { decision: keyof typeof outcomes }) {
  const { title, text } = outcomes[decision];
  return (
    <Sheet title={title} focus>
      <Text role="status">{text}</Text>
    </Sheet>
  );
}
