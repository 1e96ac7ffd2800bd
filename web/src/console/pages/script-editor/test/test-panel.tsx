import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Note } from "../../../../shared/note.tsx";
import { call } from "../../../data/api.ts";
import { useMember } from "../../../data/me.ts";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { Failed } from "../../../frame/panel.tsx";
import { testText as text } from "../../../messages/editor/script.ts";
import type { Problem } from "../../../parts/code/problems.ts";
import { testedTypesKey } from "../../../parts/types/tested-types.ts";
import { runKey, useRun } from "../../run/use-run.ts";
import { type EditedScript, isPath, nextSchema } from "../script.ts";
import { hasSignature, type SignatureAnswer } from "../signature/use-signature.ts";
import { EarlierTests, earlierTestsKey } from "./earlier-tests.tsx";
import { errorLineOf } from "./error-line.ts";

const RunForm = loadOnDemand(() => import("../../../parts/run-form/run-form.tsx"));
const WaitedRun = loadOnDemand(() => import("../../runnable/waited-run.tsx"));

type Args = Record<string, unknown>;

interface TestPanelProps {
  workspace: string;
  script: EditedScript;
  signature: SignatureAnswer | undefined;
  /** Starts a test from the keyboard. */
  start: RefObject<(() => void) | undefined>;
  onProblems: (problems: readonly Problem[]) => void;
}

/** The form of the parameters in the code, and the run that tests the code. */
export function TestPanel({ workspace, script, signature, start, onProblems }: TestPanelProps) {
  const { username } = useMember();
  const queries = useQueryClient();
  const values = useRef<Args>({});
  const [fills, setFills] = useState(0);
  const [id, setId] = useState<string>();
  const panel = useRef<HTMLDivElement>(null);
  const { language, content } = script;
  const path = isPath(script.path) ? script.path : `u/${username}/new_script`;
  const inferred = signature && signature.error === undefined ? JSON.stringify(nextSchema(script.schema, signature.schema)) : undefined;
  const schema = useMemo(() => (inferred === undefined ? undefined : (JSON.parse(inferred) as Args)), [inferred]);
  const run = useMutation({
    mutationFn: (args: Args) => {
      const { tag, timeout } = script;
      const body = { content, language, path, args, ...(tag ? { tag } : {}) };
      return call.jobs.run.preview({ workspace, body, query: timeout ? { timeout } : {} });
    },
    onSuccess: (started) => {
      setId(started);
      onProblems([]);
      void queries.invalidateQueries({ queryKey: earlierTestsKey(workspace, path) });
    },
  });
  useEffect(() => {
    start.current = () => panel.current?.querySelector("form")?.requestSubmit();
    // The code editor handles the key itself, and a dialog has its own button.
    const press = (event: KeyboardEvent) => {
      const isInDialog = event.target instanceof Element && event.target.closest("[role=dialog]") !== null;
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented || isInDialog) return;
      event.preventDefault();
      start.current?.();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [start]);
  return (
    <Stack gap="md" ref={panel} component="section" aria-label={text.title}>
      <Title order={2} size="h5">
        {text.title}
      </Title>
      <Why language={language} signature={signature} />
      <RunForm
        key={fills}
        schema={schema}
        values={values}
        isSending={run.isPending}
        error={run.error}
        onSubmit={(args) => run.mutate(args)}
      >
        <Group gap="xs">
          <Button type="submit" variant="default" loading={run.isPending}>
            {text.test}
          </Button>
          <Text size="xs" c="dimmed">
            {text.keys}
          </Text>
        </Group>
      </RunForm>
      {id !== undefined && <TestedRun key={id} workspace={workspace} id={id} language={language} path={path} onProblems={onProblems} />}
      <EarlierTests
        workspace={workspace}
        path={path}
        onChosen={(args) => {
          values.current = args;
          setFills((count) => count + 1);
        }}
      />
    </Stack>
  );
}

/** Shows the reason why the form does not follow the code. */
function Why({ language, signature }: { language: string; signature: SignatureAnswer | undefined }) {
  if (!hasSignature(language)) return <Note tone="plain">{text.noSignature(language)}</Note>;
  if (!signature) return <Text c="dimmed">{text.reading}</Text>;
  if (signature.error !== undefined) {
    return (
      <Note tone="plain">
        {text.unreadable} {signature.error}
      </Note>
    );
  }
  return language === "bash" || signature.hasMain ? null : <Note tone="plain">{text.noMain}</Note>;
}

interface TestedRunProps {
  workspace: string;
  id: string;
  language: string;
  path: string;
  onProblems: (problems: readonly Problem[]) => void;
}

/** Follows a test, and shows its error at the line of the code. */
function TestedRun({ workspace, id, language, path, onProblems }: TestedRunProps) {
  const run = useRun(workspace, id).data;
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call.jobs.cancel({ workspace, id, body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: runKey(workspace, id) }),
  });
  const hasEnded = run?.type === "CompletedJob";
  useEffect(() => {
    if (!hasEnded) return;
    void queries.invalidateQueries({ queryKey: earlierTestsKey(workspace, path) });
    void queries.invalidateQueries({ queryKey: testedTypesKey(workspace) });
    const found = errorLineOf({ language, path, result: run.result });
    if (found) onProblems([{ severity: "error", ...found }]);
  }, [hasEnded, run, language, path, workspace, onProblems, queries]);
  return (
    <Stack gap="xs">
      {run?.type === "QueuedJob" && (
        <Group>
          <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {text.cancel}
          </Button>
        </Group>
      )}
      {cancel.error && <Failed error={cancel.error} />}
      <WaitedRun workspace={workspace} id={id} />
    </Stack>
  );
}
