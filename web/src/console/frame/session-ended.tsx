import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { SignIn } from "../../shared/sign-in.tsx";
import { session } from "../data/session.ts";
import { frameText } from "../messages/frame.ts";

/** Asks for a new sign-in above the page, which keeps what was typed. */
export default function SessionEnded() {
  const queries = useQueryClient();
  const resume = () => {
    session.resume();
    void queries.invalidateQueries();
  };
  return (
    <Modal opened onClose={session.resume} title={frameText.sessionEnded}>
      <SignIn why={frameText.sessionEndedWhy} onSignedIn={resume} />
    </Modal>
  );
}
