import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { buildTeamsPackage } from "./teams-package.ts";

const APP = "11111111-2222-3333-4444-555555555555";
const build = (path: string) => unzipSync(buildTeamsPackage("https://svc.example.com", { workspace: "main", path, app_id: APP }));
const manifestOf = (files: Record<string, Uint8Array>) => JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()));

describe("buildTeamsPackage", () => {
  it("has the manifest of the bot, in the places where messages are posted", () => {
    expect(manifestOf(build("f/ops/teams"))).toMatchObject({
      id: APP,
      bots: [{ botId: APP, scopes: ["team", "groupChat", "personal"] }],
      validDomains: ["svc.example.com"],
      developer: { websiteUrl: "https://svc.example.com" },
    });
  });

  it("stays within the limits of Teams, however long the path is", () => {
    const { name, description, developer } = manifestOf(build(`f/ops/${"x".repeat(240)}`));
    expect(name.short.length).toBeLessThanOrEqual(30);
    expect(description.short.length).toBeLessThanOrEqual(80);
    expect(developer.name.length).toBeLessThanOrEqual(32);
  });

  it.each([
    ["color.png", 192],
    ["outline.png", 32],
  ])("contains %s, an image of the size that Teams requires", (name, size) => {
    const bytes = Buffer.from(build("f/ops/teams")[name] ?? []);
    expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([size, size]);
    expect(bytes.length).toBeLessThan(10_000);
  });

  it("is the same for the same request", () => {
    const request = { workspace: "main", path: "f/ops/teams", app_id: APP };
    expect(buildTeamsPackage("https://svc.example.com", request)).toEqual(buildTeamsPackage("https://svc.example.com", request));
  });
});
