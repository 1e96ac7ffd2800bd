import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Note } from "../../shared/note.tsx";
import { Refused } from "../../shared/service.ts";
import { frameText } from "../messages/frame.ts";
import { guideAddress } from "./guides.ts";

const SHOWN_AFTER_MS = 200;
const SLOW_AFTER_MS = 10_000;

/** Shows that content is loading, and after some seconds that it takes long. A request ends after a minute. */
export function Loading({ label = frameText.loading }: { label?: string }) {
  const [isShown, setIsShown] = useState(false);
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timers = [setTimeout(() => setIsShown(true), SHOWN_AFTER_MS), setTimeout(() => setIsSlow(true), SLOW_AFTER_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);
  if (!isShown) return null;
  return (
    <Stack gap="xs" role="status" aria-label={label}>
      <Skeleton height={18} width="60%" />
      <Skeleton height={18} />
      <Skeleton height={18} width="80%" />
      {isSlow && <Text c="dimmed">{frameText.slow}</Text>}
    </Stack>
  );
}

/** A link to the guide that explains a subject. It opens in another tab, so that the page keeps what was typed. */
export function GuideLink({ guide }: { guide: string }) {
  return (
    <Anchor href={guideAddress(guide)} target="_blank" rel="noopener" underline="always" size="sm">
      {frameText.readGuide}
    </Anchor>
  );
}

interface FailedProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  /** The name of the guide that explains it, such as `flows`, with an anchor if a part of it does. Default: the one of the error. */
  guide?: string | undefined;
}

/** The codes of the service are explained by its list of errors, those of the page by the guide of the console. */
const guideOf = ({ code }: Refused) => (code === "" || code.startsWith("page.") ? "console#if-something-fails" : "errors");

/** Shows the sentence and the code of a refusal, and the guide that explains it. */
export function Failed({ error, onRetry, guide }: FailedProps) {
  if (!(error instanceof Refused)) throw error;
  return (
    <Note tone="bad">
      <Text>{error.message}</Text>
      {error.code && (
        <Text size="sm" c="dimmed">
          {frameText.code(error.code)}
        </Text>
      )}
      <GuideLink guide={guide ?? guideOf(error)} />
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {frameText.retry}
          </Button>
        </Group>
      )}
    </Note>
  );
}

interface EmptyProps {
  title: string;
  /** The name of the guide that explains how to begin, such as `flows`. */
  guide: string;
  children?: ReactNode;
}

/** Shows that a page has no content yet, and how to begin. */
export function Empty({ title, guide, children }: EmptyProps) {
  return (
    <Stack className="empty" gap="xs" align="flex-start">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
      <GuideLink guide={guide} />
    </Stack>
  );
}

interface PanelProps<T> {
  query: UseQueryResult<T>;
  /** Shown instead of the content if it has nothing. */
  isEmpty?: (data: T) => boolean;
  empty?: ReactNode;
  /** The guide of a failure. */
  guide?: string;
  children: (data: T) => ReactNode;
}

/** Shows the state of a query: loading, failed, empty or its content. Content that is loaded already stays while a later fetch fails. */
export function Panel<T>({ query, isEmpty, empty, guide, children }: PanelProps<T>) {
  const { data, error, isPending, refetch } = query;
  const failed = error && <Failed error={error} guide={guide} onRetry={() => void refetch()} />;
  if (data !== undefined) {
    return (
      <>
        {failed}
        {isEmpty?.(data) ? empty : children(data)}
      </>
    );
  }
  return isPending && !failed ? <Loading /> : failed;
}
