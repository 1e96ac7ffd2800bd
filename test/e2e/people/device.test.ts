import { afterAll, describe, expect, it } from "vitest";
import { deviceRoutes } from "../../../contract/routes/people/device.ts";
import { api, shared } from "../../support/api/api.ts";
import { someone } from "../../support/api/people.ts";
import { shaped } from "../../support/api/shaped.ts";
import { expectStatus } from "../../support/api/workspace.ts";
import { button, expectQuiet, expectUsable, heading, phone, signIn, visited } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";

afterAll(endBrowser);
const client = api();
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}
const requestCodes = async (body: object = { client_name: "laptop" }): Promise<Codes> =>
  shaped(deviceRoutes.requestDeviceCode, await client.call("POST", "auth/device", { token: "", body })) as Codes;
const poll = (device_code: string) => client.call("POST", "auth/device/token", { token: "", body: { grant_type: GRANT, device_code } });
const decide = (codes: Codes, approve: boolean, headers: Record<string, string> = {}) =>
  client.call("POST", "auth/device/approve", { body: { user_code: codes.user_code, approve }, headers });

describe("the sign-in of a device", () => {
  it("gives a program the token of the user who allows it, with forms as OAuth sends them", async () => {
    const user = await someone("device");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const begun = await client.call("POST", "auth/device", { token: "", headers: form, body: "client_id=cli&client_name=my+laptop" });
    const codes = shaped(deviceRoutes.requestDeviceCode, begun) as Codes;
    expect([codes.verification_uri, codes.verification_uri_complete]).toEqual([
      `${client.url}/device`,
      `${client.url}/device?user_code=${codes.user_code}`,
    ]);
    const send = () => {
      const body = new URLSearchParams({ grant_type: GRANT, device_code: codes.device_code }).toString();
      return client.call("POST", "auth/device/token", { token: "", headers: form, body });
    };
    const pending = await send();
    expect([pending.status, pending.headers.get("cache-control"), pending.headers.get("x-svc-error")]).toEqual([
      400,
      "no-store",
      "device.pending",
    ]);
    expect(pending.json).toEqual({ error: "authorization_pending", error_description: expect.stringMatching(/\w \w.*\.$/) });
    expect((await send()).json).toMatchObject({ error: "slow_down" });

    const request = shaped(deviceRoutes.getDeviceRequest, await user.api.get(`auth/device/${codes.user_code}`));
    expect(request).toMatchObject({ user_code: codes.user_code, client_name: "my laptop" });
    expectStatus(await user.api.post("auth/device/approve", { user_code: codes.user_code, approve: true }), 200);
    const issued = await send();
    const { access_token, ...rest } = shaped(deviceRoutes.redeemDeviceCode, issued) as { access_token: string };
    expect([rest, issued.headers.get("cache-control")]).toEqual([{ token_type: "Bearer", expires_in: expect.any(Number) }, "no-store"]);
    expect((await client.call("GET", "users/whoami", { token: access_token })).json).toMatchObject({ email: user.email });
    expect((await send()).json).toMatchObject({ error: "invalid_grant" });
    const log = (await client.get("audit/list", { username: user.email })).json as { operation: string; resource?: string }[];
    expect(log.map(({ operation, resource }) => [operation, resource])).toEqual([
      ["users.token.create", access_token.slice(0, 10)],
      ["auth.decide_device_request", "svc on my laptop"],
    ]);
  });

  it("is neither started nor decided by pages of other sites, and is not decided by tokens with limits or without sign-in", async () => {
    const codes = await requestCodes();
    const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await decide(codes, true, elsewhere)).status).toBe(403);
    expect((await client.call("POST", "auth/device", { token: "", headers: elsewhere, body: {} })).status).toBe(403);
    for (const limit of [{ read_only: true }, { scopes: ["users:write"] }, { workspace_id: "admins" }]) {
      const token = expectStatus(await client.post("users/tokens/create", limit), 201).text;
      const refused = await client.call("POST", "auth/device/approve", { token, body: { user_code: codes.user_code, approve: true } });
      expect([limit, refused.status]).toEqual([limit, 403]);
    }
    const anonymous = await client.call("GET", `auth/device/${codes.user_code}`, { token: "" });
    expect([anonymous.status, anonymous.headers.get("x-svc-error")]).toEqual([401, "auth.missing"]);
    expect((await poll(codes.device_code)).json).toMatchObject({ error: "authorization_pending" });
  });
});

describe("the page for devices", () => {
  it("is not framed, cached or found by search engines, and has no address below it", async () => {
    const page = await fetch(`${client.url}/device?user_code=BCDF-GHJK`);
    expect([page.status, Object.fromEntries(page.headers)]).toEqual([
      200,
      expect.objectContaining({
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex, nofollow",
        "x-frame-options": "DENY",
        "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
      }),
    ]);
    expect(await page.text()).not.toContain("BCDF");
    expect((await fetch(`${client.url}/device/x`)).status).toBe(404);
  });

  it("lets a user sign in, confirm the code of a link and allow the device, and decides nothing before", async () => {
    const codes = await requestCodes({ client_name: "<b>laptop</b>" });
    const visit = await visited(codes.verification_uri_complete, phone);
    const { page } = visit;
    await heading(page, "Sign in").waitFor();
    await expectUsable(page);
    await signIn(page);
    await heading(page, "Allow this device?").waitFor();
    for (const text of [codes.user_code, "<b>laptop</b>", shared().email]) await page.getByText(text, { exact: true }).waitFor();
    await expectUsable(page);
    await button(page, "Allow").click();
    // The browser asks for the confirmation first.
    expect(await page.evaluate<boolean>("document.querySelector('[type=checkbox]').validity.valueMissing")).toBe(true);
    expect((await poll(codes.device_code)).json).toMatchObject({ error: "authorization_pending" });
    await page.getByRole("checkbox").check();
    await button(page, "Allow").click();
    await heading(page, "Device allowed").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Device allowed");
    await expectUsable(page);
    expectStatus(await poll(codes.device_code), 200);
    // The call before the sign-in was refused.
    expectQuiet({ ...visit, complaints: visit.complaints.filter((complaint) => !complaint.includes("401")) });
  });

  it("accepts a typed code, shows an error next to the field for a wrong one, and refuses the device", async () => {
    const codes = await requestCodes();
    const { page } = await visited(codes.verification_uri);
    if (await page.getByLabel("Email").isVisible()) await signIn(page);
    await heading(page, "Sign in a device").waitFor();
    await expectUsable(page);
    await page.getByLabel("Code").fill("BCDF-BCDF");
    await button(page, "Continue").click();
    await page.getByRole("alert").getByText("This code is wrong or has expired.").waitFor();
    await expectUsable(page);
    await page.getByLabel("Code").fill(codes.user_code.toLowerCase().replace("-", " "));
    await page.keyboard.press("Enter");
    await heading(page, "Allow this device?").waitFor();
    await button(page, "Refuse").click();
    await heading(page, "Device refused").waitFor();
    expect((await poll(codes.device_code)).json).toMatchObject({ error: "access_denied" });
  });
});
