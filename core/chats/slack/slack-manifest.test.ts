import type { AppsManifestCreateArguments } from "@slack/web-api";
import { describe, expect, it } from "vitest";
import { buildSlackManifest } from "./slack-manifest.ts";

// The manifest has the shape that Slack's own library types.
const build: (...args: Parameters<typeof buildSlackManifest>) => AppsManifestCreateArguments["manifest"] = buildSlackManifest;

describe("buildSlackManifest", () => {
  const manifest = build("https://svc.example.com", { workspace: "main", path: "u/ann/slack.one" });

  it("has exactly the scopes that messages, checks of people and files of forms need", () => {
    expect(manifest.oauth_config?.scopes).toEqual({ bot: ["chat:write", "users:read", "users:read.email", "files:read"] });
  });

  it("sends clicks to the address of the resource", () => {
    expect(manifest.settings?.interactivity).toMatchObject({
      is_enabled: true,
      request_url: "https://svc.example.com/api/w/main/chat/slack/u/ann/slack.one",
    });
  });

  it("stays within the limits of Slack, however long the path is", () => {
    const { display_information: shown } = build("https://svc.example.com", { workspace: "main", path: `f/ops/${"x".repeat(240)}` });
    expect(shown.name.length).toBeLessThanOrEqual(35);
    expect(shown.description?.length).toBe(140);
  });
});
