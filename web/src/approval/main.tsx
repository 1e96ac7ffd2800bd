import "./mantine.ts";
import "./page.css";
import { createTheme, MantineProvider } from "@mantine/core";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { addressOf } from "./address.ts";
import { Page } from "./page.tsx";

const theme = createTheme({ respectReducedMotion: true });

/** The browser's setting decides, and nothing is kept. */
const colorSchemes = { get: () => "auto" as const, set: () => {}, subscribe: () => {}, unsubscribe: () => {}, clear: () => {} };

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for its content.");
createRoot(root).render(
  <StrictMode>
    {/* Its variables and classes come as files: the page's policy takes no style that is written into the page. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <Page address={addressOf(location)} />
    </MantineProvider>
  </StrictMode>,
);
