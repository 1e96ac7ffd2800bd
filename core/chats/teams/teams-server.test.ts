import { describe, expect, it } from "vitest";
import { isTeamsServer } from "./teams-server.ts";

describe("isTeamsServer", () => {
  it.each([
    "https://smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net/teams/",
    "https://smba.infra.gcc.teams.microsoft.com/gcc",
  ])("accepts %s", (server) => expect(isTeamsServer(server, undefined)).toBe(true));

  it.each([
    ["the server of another channel, whose senders anyone chooses", "https://directline.botframework.com/"],
    ["a host whose name only contains one of Teams", "https://smba.trafficmanager.net.example.com/"],
    ["a host whose name only ends like one of Teams", "https://ateams.microsoft.com.example.com/"],
    ["a user in the address", "https://smba.trafficmanager.net@example.com/"],
    ["another port", "https://smba.trafficmanager.net:8443/"],
    ["no encryption", "http://smba.trafficmanager.net/"],
    ["no address", "smba.trafficmanager.net"],
  ])("refuses %s", (_, server) => expect(isTeamsServer(server, undefined)).toBe(false));

  it("accepts the servers of a resource with other keys, but no other protocol", () => {
    expect(isTeamsServer("https://teams.example.com/", "https://login.example.com")).toBe(true);
    expect(isTeamsServer("file:///etc/passwd", "https://login.example.com")).toBe(false);
  });
});
