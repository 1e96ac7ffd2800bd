import { Button, Text } from "@mantine/core";
import { Page } from "../../frame/page.tsx";
import { useSignOut } from "../../frame/sign-out.ts";
import { frameText } from "../../messages/frame.ts";
import Invitations from "../../parts/people/invitations.tsx";

/** The page of a signed-in person without a workspace: invitations, and whom to ask. */
export default function NoWorkspace() {
  const leave = useSignOut();
  return (
    <Page title={frameText.noWorkspace}>
      <Invitations />
      <Text mb="md">{frameText.noWorkspaceWhy}</Text>
      <Button variant="default" onClick={() => void leave()}>
        {frameText.signOut}
      </Button>
    </Page>
  );
}
