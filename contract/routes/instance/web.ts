import * as z from "zod";
import { defineRoute } from "../../route.ts";

const page = { method: "GET", fn: "web", auth: "none", status: 200, reply: { bytes: "The page." }, errors: [] } as const;
/** The ids of a link, unchecked. The page sends them to the API, which checks them. */
const part = z.string().max(300);

export const webRoutes = {
  approvalPage: defineRoute({
    ...page,
    name: "web.approvalPage",
    summary: "Show the approval page of a link. Opening it does not decide anything.",
    path: "/approve/{workspace}/{id}/{resume_id}/{signature}",
    access: "open",
    hiddenInLogs: ["signature"],
    params: z.object({ workspace: part, id: part, resume_id: part, signature: part }),
  }),
  signedInApprovalPage: defineRoute({
    ...page,
    name: "web.signedInApprovalPage",
    summary: "Show the approval page for signed-in users.",
    path: "/approve/{workspace}/{id}",
    access: "open",
    params: z.object({ workspace: part, id: part }),
  }),
  devicePage: defineRoute({
    ...page,
    name: "web.devicePage",
    summary: "Show the page on which a user allows a device to sign in. Opening it does not allow anything.",
    path: "/device",
    access: "open",
  }),
  signInPage: defineRoute({
    ...page,
    name: "web.signInPage",
    summary: "Show the page on which a user signs in to the console.",
    path: "/login",
    access: "open",
  }),
  workspacePage: defineRoute({
    ...page,
    name: "web.workspacePage",
    summary: "Show a page of the console about a workspace. The page reads its data through this API.",
    path: "/w/{path+}",
    access: "open",
    params: z.object({ path: z.string().max(5000) }),
  }),
  accountPage: defineRoute({
    ...page,
    name: "web.accountPage",
    summary: "Show a page of the console about the user's account.",
    path: "/account/{tab}",
    access: "open",
    params: z.object({ tab: part }),
  }),
  instancePage: defineRoute({
    ...page,
    name: "web.instancePage",
    summary: "Show a page of the console about the instance.",
    path: "/instance/{tab}",
    access: "open",
    params: z.object({ tab: part }),
  }),
  chatLinkPage: defineRoute({
    ...page,
    name: "web.chatLinkPage",
    summary: "Show the page on which a user connects a person in a chat. Opening it does not connect anything.",
    path: "/chat/link",
    access: "open",
  }),
  sharedRunPage: defineRoute({
    ...page,
    name: "web.sharedRunPage",
    summary: "Show the page of a shared run.",
    path: "/share/{token}",
    access: "open",
    hiddenInLogs: ["token"],
    params: z.object({ token: part }),
  }),
  guides: defineRoute({
    ...page,
    name: "web.guides",
    summary: "Show the list of the guides for users.",
    path: "/docs/guide",
    access: "open",
  }),
  guide: defineRoute({
    ...page,
    name: "web.guide",
    summary: "Show a guide for users.",
    path: "/docs/guide/{name}",
    access: "open",
    params: z.object({ name: z.string().max(200) }),
    errors: ["route.unknown"],
  }),
  asset: defineRoute({
    ...page,
    name: "web.asset",
    summary: "Get an asset of a page.",
    path: "/assets/{file}",
    access: "open",
    params: z.object({ file: z.string().max(200) }),
    reply: { bytes: "The file." },
    errors: ["route.unknown"],
  }),
};
