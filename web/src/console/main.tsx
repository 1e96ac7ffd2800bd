import "./styles.ts";
import { localStorageColorSchemeManager } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { mount } from "../shared/providers.tsx";
import { queries } from "./data/queries.ts";
import { Notifications } from "./frame/notifications.tsx";
import { router } from "./router.tsx";
import { theme } from "./theme.ts";

mount({
  theme,
  colorSchemes: localStorageColorSchemeManager({ key: "svc.theme" }),
  queries,
  children: (
    <>
      <Notifications />
      <RouterProvider router={router} />
    </>
  ),
});
