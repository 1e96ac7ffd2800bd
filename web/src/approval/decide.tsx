import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, lazy, type ReactNode, Suspense, useContext, useRef, useState } from "react";
import { defined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { DecisionDraftContext } from "../shared/decision-draft.ts";
import { preparedForm } from "../shared/form/schema.ts";
import { Note } from "../shared/note.tsx";
import type { Refused } from "../shared/service.ts";
import type { ReadyApproval } from "./ask.tsx";
import type { Decision } from "./data/api.ts";

const Form = lazy(() => import("../shared/form/form.tsx"));

/** Approve, with the form's values where there is one, or reject with a reason. */
export function Decide({ approval }: { approval: ReadyApproval }) {
  const { info, decide } = approval;
  const draft = useContext(DecisionDraftContext);
  const [typed] = useState(draft.read);
  const [sending, setSending] = useState(false);
  const [rejecting, setRejecting] = useState(typed.reason !== undefined);
  const [refused, setRefused] = useState<Refused>();
  const { form_schema, default_args, enums } = info;
  // A refetch must not reset a form that the reader is filling in.
  const [form] = useState(() => preparedForm({ form_schema, default_args: { ...default_args, ...typed.values }, enums }));

  const send = async (decision: Decision) => {
    setSending(true);
    setRefused(undefined);
    const refusal = await decide(decision);
    if (!refusal) draft.forget();
    setRefused(refusal);
    setSending(false);
  };
  const approve = (payload?: unknown) => send({ approved: true, ...defined({ payload }) });

  const buttons = !rejecting && (
    <Group className="actions">
      <Button type="submit" color="teal.9" loading={sending}>
        Approve
      </Button>
      {!info.hide_cancel && (
        <Button type="button" variant="default" disabled={sending} onClick={() => setRejecting(true)}>
          Reject
        </Button>
      )}
    </Group>
  );
  return (
    <Stack gap="md">
      {form ? (
        <Suspense fallback={<Text role="status">Loading the form…</Text>}>
          <Form
            form={form}
            disabled={sending}
            error={refused}
            onChange={(values, isTyped) => {
              if (isTyped && isJsonObject(values)) draft.keep({ values });
            }}
            onSubmit={approve}
          >
            <Refusal refused={refused} />
            {buttons}
          </Form>
        </Suspense>
      ) : (
        <PlainForm onSubmit={() => approve()}>
          <Refusal refused={refused} />
          {buttons}
        </PlainForm>
      )}
      {rejecting && (
        <Reject
          sending={sending}
          needsReason={info.reject_reason_required === true}
          onReject={(reason) => send({ approved: false, ...(reason ? { reason } : {}) })}
          onBack={() => setRejecting(false)}
        />
      )}
    </Stack>
  );
}

function PlainForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">{children}</Stack>
    </form>
  );
}

/** The error of the service. */
const Refusal = ({ refused }: { refused: Refused | undefined }) =>
  refused ? (
    <Note tone="bad" title="Not decided" focus={refused}>
      {refused.message}
    </Note>
  ) : null;

interface RejectProps {
  sending: boolean;
  /** Whether the step refuses a rejection without a reason. */
  needsReason: boolean;
  onReject: (reason?: string) => void;
  onBack: () => void;
}

function Reject({ sending, needsReason, onReject, onBack }: RejectProps) {
  const draft = useContext(DecisionDraftContext);
  const [typed] = useState(() => draft.read().reason);
  const [isMissing, setIsMissing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason")).trim();
    const missing = needsReason && reason === "";
    setIsMissing(missing);
    if (missing) field.current?.focus();
    else onReject(reason === "" ? undefined : reason);
  };
  return (
    <form onSubmit={submit} aria-label="Reject" noValidate>
      <Stack gap="md">
        <Textarea
          ref={field}
          name="reason"
          label="Reason"
          description={`${needsReason ? "Required" : "Optional"}. The requester can see it.`}
          required={needsReason}
          error={isMissing ? "Enter a reason for the rejection." : undefined}
          maxLength={2000}
          rows={3}
          defaultValue={typed}
          onChange={({ target }) => {
            setIsMissing(false);
            draft.keep({ reason: target.value });
          }}
          // The reader has just opened it.
          autoFocus={typed === undefined}
        />
        <Group className="actions">
          <Button type="submit" color="red.9" loading={sending}>
            Reject
          </Button>
          <Button type="button" variant="default" disabled={sending} onClick={onBack}>
            Back
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
