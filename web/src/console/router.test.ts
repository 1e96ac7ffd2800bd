import { expect, it } from "vitest";
import { router } from "./router.tsx";

it("each page is in a frame, which asks for a sign-in, except those that everyone may see, and the one that asks in place", () => {
  const pages = Object.values(router.routesById).filter(({ children }) => !children);
  const outside = pages.filter(({ parentRoute }) => !["/w/$ws", "/account"].includes(parentRoute?.id ?? ""));
  expect(pages.length).toBeGreaterThan(25);
  expect(outside.map(({ id }) => id).sort()).toEqual(["/", "/chat/link", "/login", "/share/$token"]);
});
