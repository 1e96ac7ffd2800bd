import "./mantine.ts";
import "./page.css";
import { Container } from "@mantine/core";
import { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Broken } from "./broken.tsx";
import { mount } from "./providers.tsx";

/** The browser's setting applies, and nothing is stored. */
const colorSchemes = { get: () => "auto" as const, set: () => {}, subscribe: () => {}, unsubscribe: () => {}, clear: () => {} };

/** A failed fetch is shown at once, with a button to retry. Being offline counts as a failure, not as a pause. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });

/** Shows the content of a page that is one sheet. */
export function render(content: ReactNode): void {
  mount({
    colorSchemes,
    queries,
    children: (
      <Container component="main" size="sm">
        <Broken>{content}</Broken>
      </Container>
    ),
  });
}
