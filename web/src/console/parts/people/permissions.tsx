import { Button, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { permissionsText as text } from "../../messages/objects/people.ts";
import { ExplainUser } from "./explain-access.tsx";
import { Members, type Right } from "./members.tsx";

const rights = ["write", "read"] as const;

interface ObjectProps {
  /** The kind of the object, as the routes of permissions name it. */
  kind: string;
  path: string;
}

/** The extra permissions of an object, and the reasons for which a user may read or change it. Its owners change them. */
export function Permissions({ kind, path }: ObjectProps) {
  const workspace = useWorkspace();
  const member = useMember();
  const granted = useQuery({
    queryKey: [workspace, "permissions", kind, path],
    queryFn: ({ signal }) => call.acls.get({ workspace, kind, path, signal }),
  });
  const owns = useQuery({
    queryKey: [workspace, "owns", path],
    queryFn: ({ signal }) => call.users.isOwnerOfPath({ workspace, path, signal }),
  });
  const mayChange = isOffered("acls.add", member) && owns.data === true;
  return (
    <Stack gap="xs">
      <Text size="sm">{text.why(path)}</Text>
      <Panel query={granted} guide="permissions">
        {(permissions) => (
          <Members
            workspace={workspace}
            members={Object.entries(permissions).map(([name, mayWrite]) => ({ name, right: mayWrite ? "write" : "read" }))}
            empty={text.none}
            rights={rights}
            mayChange={mayChange}
            add={(owner, right: Right) => call.acls.add({ workspace, kind, path, body: { owner, write: right === "write" } })}
            remove={({ name: owner }) => call.acls.remove({ workspace, kind, path, body: { owner } })}
            onChanged={granted.refetch}
          />
        )}
      </Panel>
      {owns.data === false && <Text size="sm">{text.notOwner}</Text>}
      <ExplainUser workspace={workspace} username={member.username} kind={kind} path={path} mayAskForOthers={owns.data === true} />
    </Stack>
  );
}

/** Opens the permissions of an object. */
export function PermissionsButton({ kind, path }: ObjectProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={text.of(path)} onClick={() => setIsOpen(true)}>
        {text.title}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={text.of(path)} size="lg">
        <Permissions kind={kind} path={path} />
      </Modal>
    </>
  );
}
