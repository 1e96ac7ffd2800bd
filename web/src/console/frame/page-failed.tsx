import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { basePath } from "../../shared/base-path.ts";
import { Refused } from "../../shared/service.ts";
import { frameText } from "../messages/frame.ts";
import { Page } from "./page.tsx";
import { Failed, GuideLink } from "./panel.tsx";

/** Shows that a page could not be loaded or displayed. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <Page title={frameText.failed}>
      {error instanceof Refused ? (
        <Failed error={error} guide="console#if-something-fails" onRetry={reset} />
      ) : (
        <Stack gap="sm" role="alert">
          <Text>{frameText.failedWhy}</Text>
          <Group>
            <Button onClick={() => location.reload()}>{frameText.reload}</Button>
            <GuideLink guide="console#if-something-fails" />
          </Group>
        </Stack>
      )}
    </Page>
  );
}

/** Opens the home of the workspace that was used last. */
export function ToStart() {
  return (
    <Anchor href={`${basePath}/login`} underline="always">
      {frameText.toStart}
    </Anchor>
  );
}

export function NotFound() {
  return (
    <Page title={frameText.notFound}>
      <Text>{frameText.notFoundWhy}</Text>
      <Group>
        <ToStart />
        <GuideLink guide="console#find-your-way" />
      </Group>
    </Page>
  );
}
