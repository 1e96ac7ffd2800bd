import { createTheme, type MantineColorSchemeManager, MantineProvider, type MantineThemeOverride } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";

interface ProvidersProps {
  theme?: MantineThemeOverride;
  colorSchemes: MantineColorSchemeManager;
  queries: QueryClient;
  children: ReactNode;
}

/** Shows the content of a page. Mantine's variables and classes are in files, because the page's policy allows no inline styles. */
export function mount({ theme = {}, colorSchemes, queries, children }: ProvidersProps): void {
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no root element.");
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={createTheme({ respectReducedMotion: true, ...theme })}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemes}
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
