import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { ChatLinkJson } from "../../../../../contract/routes/people/chat-accounts.ts";
import { Fact } from "../../../shared/fact.tsx";
import { Note } from "../../../shared/note.tsx";
import { When } from "../../../shared/time/when.tsx";
import { call } from "../../data/objects-api.ts";
import { Failed } from "../../frame/panel.tsx";
import { chatLinkText as text } from "../../messages/objects/chat-accounts.ts";
import { forgetLink, isLinkGone } from "./link.ts";

interface ConfirmLinkProps {
  link: string;
  person: ChatLinkJson;
  onConnected: () => void;
}

/** Shows who asked, and connects them. The user must confirm to be that person: a stranger could have sent the link to their own account. */
export function ConfirmLink({ link, person, onConnected }: ConfirmLinkProps) {
  const { vendor, team, user, name, address, workspace, resource, email, replaces, expires_at } = person;
  const connect = useMutation({
    mutationFn: () => call.chatAccounts.connect({ body: { link } }),
    onSuccess: onConnected,
    onError: (error) => {
      if (isLinkGone(error)) forgetLink(sessionStorage);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connect.mutate();
  };
  return (
    <Stack gap="md">
      <dl className="facts">
        <Fact name={text.name}>
          <strong>{name}</strong>
        </Fact>
        {address !== undefined && <Fact name={text.address}>{address}</Fact>}
        <Fact name={text.ids}>
          <code>{`${team} / ${user}`}</code>
        </Fact>
        <Fact name={text.resource}>{text.resourceIn(resource, workspace)}</Fact>
        <Fact name={text.user}>
          <strong>{email}</strong>
        </Fact>
        <Fact name={text.until}>
          <When at={expires_at} />
        </Fact>
      </dl>
      <Text>{text.warning(name)}</Text>
      {replaces && <Note tone="plain">{text.replaces}</Note>}
      <form onSubmit={submit}>
        <Stack gap="md">
          {connect.error && <Failed error={connect.error} guide="console#chat-accounts" />}
          <Checkbox label={text.confirm(name, vendor)} required />
          <Group className="actions">
            <Button type="submit" color="blue.8" loading={connect.isPending}>
              {text.connect}
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
