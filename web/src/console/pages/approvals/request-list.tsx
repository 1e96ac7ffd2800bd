import { Stack, Text } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { Ago } from "../../../shared/time/ago.tsx";
import { Deadline } from "../../../shared/time/deadline.tsx";
import { approvalsText } from "../../messages/approvals.ts";

/** A line of the inbox. `id` is what opens: a gate, or a flow that waits. */
export interface Line {
  id: string;
  run: string;
  title: string;
  path?: string | undefined;
  by: string;
  at: string;
  deadline?: string | undefined;
}

const linkId = (id: string) => `request-${id}`;

/** Returns the focus to the line of a request. */
export const focusLine = (id: string) => document.getElementById(linkId(id))?.focus();

/** A list of requests. Each opens on the same page. */
export function RequestList({ lines, open }: { lines: readonly Line[]; open: string | undefined }) {
  const search = useSearch({ strict: false });
  return (
    <Stack component="ul" gap="xs" className="plain-list requests">
      {lines.map(({ id, run, title, path, by, at, deadline }) => (
        <li key={id}>
          <Link
            id={linkId(id)}
            to="."
            search={{ ...search, open: id, run }}
            replace
            activeProps={{ className: undefined }}
            data-open={id === open}
            aria-current={id === open ? "true" : undefined}
          >
            {title}
          </Link>
          <Text size="sm" c="dimmed" className="path">
            {path && path !== title && `${path} · `}
            {approvalsText.requestedBy(by)} · <Ago at={at} />
            {deadline && (
              <>
                {" "}
                · {approvalsText.decideBy} <Deadline at={deadline} />
              </>
            )}
          </Text>
        </li>
      ))}
    </Stack>
  );
}
