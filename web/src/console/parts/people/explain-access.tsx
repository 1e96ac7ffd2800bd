import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { explainText as text } from "../../messages/objects/people.ts";
import { PrincipalField } from "./principal-field.tsx";

interface Question {
  user: string;
  kind: string;
  path: string;
}

const kinds = Object.entries(text.kinds).map(([value, label]) => ({ value, label }));
const actions = Object.entries(text.can) as [keyof typeof text.can, string][];

/** Explains what a user may do with an object. Owners of the object and administrators may ask about other users. */
export function ExplainAccess({ workspace, username }: { workspace: string; username: string }) {
  const [asked, setAsked] = useState<Question>();
  const [question, setQuestion] = useState<Question>({ user: username, kind: "script", path: "" });
  const change = (changes: Partial<Question>) => setQuestion({ ...question, ...changes });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(question);
  };
  return (
    <section aria-label={text.title}>
      <Title order={2} size="h5" mt="lg" mb="xs">
        {text.title}
      </Title>
      <Text size="sm" mb="xs">
        {text.why}
      </Text>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <PrincipalField workspace={workspace} withGroups={false} value={question.user} onChange={(user) => change({ user })} />
          <NativeSelect label={text.kind} data={kinds} value={question.kind} onChange={({ target }) => change({ kind: target.value })} />
          <TextInput
            label={question.kind === "folder" ? text.folder : text.path}
            required
            withAsterisk={false}
            spellCheck={false}
            value={question.path}
            onChange={({ target }) => change({ path: target.value.trim() })}
          />
          <Button type="submit" variant="default" disabled={question.user === ""}>
            {text.explain}
          </Button>
        </Group>
      </form>
      {asked && <Explanation workspace={workspace} question={asked} />}
    </section>
  );
}

interface ExplainUserProps {
  workspace: string;
  username: string;
  kind: string;
  path: string;
  /** Only owners of the object and administrators may ask about other users. */
  mayAskForOthers: boolean;
}

/** Explains what a user may do with one object. */
export function ExplainUser({ workspace, username, kind, path, mayAskForOthers }: ExplainUserProps) {
  const [user, setUser] = useState(username);
  return (
    <section aria-label={text.because}>
      <Title order={3} size="h6" mt="md" mb="xs">
        {text.because}
      </Title>
      {mayAskForOthers && <PrincipalField workspace={workspace} withGroups={false} value={user} onChange={setUser} />}
      {user !== "" && <Explanation workspace={workspace} question={{ user, kind, path }} />}
    </section>
  );
}

function Explanation({ workspace, question }: { workspace: string; question: Question }) {
  const { user, kind, path } = question;
  const explained = useQuery({
    queryKey: [workspace, "explain", user, kind, path],
    queryFn: ({ signal }) => call.acls.explain({ workspace, kind, path, query: { user }, signal }),
  });
  return (
    <Panel query={explained}>
      {({ can, reasons }) => (
        <Stack gap="xs" mt="sm" role="status">
          <Group gap="xs">
            {actions.map(([action, label]) => (
              <span key={action} className="mark">
                {can[action] ? label : text.cannot[action]}
              </span>
            ))}
          </Group>
          <ul>
            {reasons.map(({ rule, from, grants }) => (
              <li key={`${rule} ${from} ${grants}`}>{rule}</li>
            ))}
          </ul>
        </Stack>
      )}
    </Panel>
  );
}
