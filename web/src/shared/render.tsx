import "./mantine.ts";
import "./page.css";
import { Container, createTheme, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Broken } from "./broken.tsx";

const theme = createTheme({ respectReducedMotion: true });

/** The browser's setting applies, and nothing is stored. */
const colorSchemes = { get: () => "auto" as const, set: () => {}, subscribe: () => {}, unsubscribe: () => {}, clear: () => {} };

/** A failed fetch is shown at once, with a button to retry. Being offline counts as a failure, not as a pause. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });

/** Shows the content of a page. */
export function render(content: ReactNode): void {
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no root element.");
  createRoot(root).render(
    <StrictMode>
      {/* Its variables and classes are in files, because the page's policy allows no inline styles. */}
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemes}
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <QueryClientProvider client={queries}>
          <Container component="main" size="sm">
            <Broken>{content}</Broken>
          </Container>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
