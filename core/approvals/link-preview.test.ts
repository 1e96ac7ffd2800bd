import { describe, expect, it } from "vitest";
import { isApprovalGet } from "./link-preview.ts";

const never = async () => false;
const always = async () => true;
const counts = (headers: Record<string, string>) => isApprovalGet(headers, never);

describe("isApprovalGet", () => {
  it.each([
    "curl/8.4.0",
    "python-requests/2.31.0",
    "axios/1.7.2",
    "Go-http-client/2.0",
    "Bun/1.3",
    "undici",
    "svc-client/0.1",
    "okhttp/5.0",
    "",
  ])("counts the GET of the program %s as a decision", async (agent) => {
    expect(await counts({ "user-agent": agent, accept: "*/*" })).toBe(true);
  });

  it.each([
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Discordbot/2.0",
    "TelegramBot (like TwitterBot)",
    "WhatsApp/2.23.20.0",
    "facebookexternalhit/1.1",
    "LinkedInBot/1.0",
    "SkypeUriPreview Preview/0.5",
    "Googlebot/2.1 (+http://www.google.com/bot.html)",
    "bingbot/2.0",
    "Embedly/0.2",
    "Microsoft Office/16.0 (Microsoft Outlook 16.0)",
    "Barracuda Sentinel (EE)",
    "Proofpoint URL Defense",
    "Mimecast",
    "Mozilla/5.0 (X11; Linux x86_64)",
  ])("shows the page to the preview or scanner %s", async (agent) => {
    expect(await counts({ "user-agent": agent, accept: "*/*" })).toBe(false);
  });

  it.each<Record<string, string>>([{ accept: "text/html" }, { "sec-fetch-dest": "document" }, { "sec-fetch-mode": "navigate" }])(
    "shows the page to a browser that navigates (%o)",
    async (headers) => {
      expect(await counts({ "user-agent": "curl/8.4.0", ...headers })).toBe(false);
    },
  );

  it("counts the GET of a browser if the workspace counts each GET", async () => {
    expect(await isApprovalGet({ accept: "text/html" }, always)).toBe(true);
  });

  it("never counts a prefetch, whatever the workspace's setting is", async () => {
    for (const name of ["purpose", "sec-purpose", "x-purpose"]) expect(await isApprovalGet({ [name]: "prefetch" }, always)).toBe(false);
  });
});
