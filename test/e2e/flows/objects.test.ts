import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, shared } from "../../support/api/api.ts";
import { refused } from "../../support/api/refusal.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const identity = (id = "a") => ({ id, value: { type: "identity" } });

const inline = (id: string, content: string, language = "bash") => ({
  id,
  value: { type: "rawscript", language, content, input_transforms: {} },
});

const aFlow = (path: string, fields: object = {}) => ({ path, summary: "", value: { modules: [identity()] }, ...fields });
const create = (flow: object, at: Workspace = ws) => at.post("flows/create", flow);
const created = async (path: string, fields: object = {}, at: Workspace = ws) => expectStatus(await create(aFlow(path, fields), at), 201);

interface Flow {
  path: string;
  version_id: number;
  [field: string]: unknown;
}

const get = async (path: string, at: Workspace = ws) => expectStatus(await at.get(`flows/get/${path}`), 200).json as Flow;
const versionAt = async (path: string, at: Workspace = ws) => (await get(path, at)).version_id;

const codeOf = (answer: Answer) => {
  const { status, code } = refused(answer);
  return [status, code];
};

const runWait = (target: string, args: object = {}, at: Workspace = ws) => at.post(`jobs/run_wait_result/${target}`, args);

describe("saving a flow", () => {
  it("saving a flow returns 201 with its path, and every field is preserved", async () => {
    const sent = aFlow("f/t/fields", {
      summary: "Greets",
      description: "Longer",
      schema: { type: "object", order: ["b", "a"], properties: { b: { type: "string", default: "x" }, a: {} }, required: [] },
      tag: "special",
      timeout: 30,
      priority: 5,
      labels: ["one"],
      ws_error_handler_muted: true,
      visible_to_runner_only: false,
      dedicated_worker: false,
    });
    const answer = expectStatus(await create(sent), 201);
    expect(answer.text).toBe("f/t/fields");
    const flow = await get("f/t/fields");
    expect(flow).toMatchObject({ ...sent, workspace_id: ws.id, edited_by: "admin", archived: false, starred: false, extra_perms: {} });
    expect(Object.keys((flow["schema"] as { properties: object }).properties)).toEqual(["b", "a"]);
    expect(Number.isSafeInteger(flow.version_id)).toBe(true);
    expect((await ws.get(`flows/get/v/${flow.version_id}`)).json).toEqual(flow);
    expect((await ws.get("flows/exists/f/t/fields")).json).toBe(true);
    expect((await ws.get("flows/exists/f/t/nothing")).json).toBe(false);
  });

  it("a flow of several hundred kilobytes is stored separately and deleted completely", async () => {
    const { s3 } = awsClients();
    const content = `echo hi # ${"ü🙂".repeat(60_000)}`;
    const value = { modules: [inline("a", content)], notes: [{ text: "n".repeat(1000) }] };
    await created("f/t/large", { value });
    const { version_id: version, ...flow } = await get("f/t/large");
    expect(flow["value"]).toEqual(value);
    expect(expectStatus(await runWait("f/f/t/large"), 200).json).toBe("hi");
    const left = async () =>
      (await s3.send(new ListObjectsV2Command({ Bucket: shared().outputs["Bucket"], Prefix: `flows/${ws.id}/${version}` }))).KeyCount;
    expect(await left()).toBe(2);
    expectStatus(await ws.call("DELETE", "flows/delete/f/t/large"), 200);
    expect(await left()).toBe(0);
  });

  it("a flow above 4 MB is rejected with the limit", async () => {
    const pad = (bytes: number) => aFlow("f/t/too_large", { value: { modules: [identity()], notes: "x".repeat(bytes) } });
    const body = refused(await create(pad(4 * 1024 * 1024)));
    expect(body).toMatchObject({ status: 413, text: expect.stringContaining("4 MB") });
    const room = 4 * 1024 * 1024 - JSON.stringify(pad(0)).length;
    expect(refused(await create(pad(room)))).toMatchObject({ status: 413, code: "flow.tooLarge", text: expect.stringContaining("4 MB") });
    expect((await ws.get("flows/exists/f/t/too_large")).json).toBe(false);
  });
});

describe("reading flows", () => {
  it("every URL is listed with a curl command and runs the flow", async () => {
    await created("f/t/hooks", { value: { modules: [inline("a", "echo hooked")] } });
    const version = await versionAt("f/t/hooks");
    const forms = expectStatus(await ws.get("flows/webhooks/f/t/hooks"), 200).json as { method: string; url: string; curl: string }[];
    const root = `${ws.api.url}/api/w/${ws.id}/jobs`;
    expect(forms.map(({ method, url }) => `${method} ${url}`)).toEqual(
      ["f/f/t/hooks", `fv/${version}`].flatMap((target) => [
        `POST ${root}/run/${target}`,
        `POST ${root}/run_wait_result/${target}`,
        `GET ${root}/run_wait_result/${target}`,
        `POST ${root}/run_and_stream/${target}`,
        `GET ${root}/run_and_stream/${target}`,
      ]),
    );
    for (const { method, url, curl } of forms) {
      expect(curl.startsWith("curl ") && curl.includes(url)).toBe(true);
      const answer = await ws.api.call(method, url.split("/api/")[1] ?? "", method === "POST" ? { body: {} } : {});
      if (url.includes("/run/")) expect((await ws.completed(expectStatus(answer, 201).text))["result"]).toBe("hooked");
      else expect(expectStatus(answer, 200).text).toContain('"hooked"');
    }
    expect(codeOf(await ws.get("flows/webhooks/f/t/none"))).toEqual([404, "flow.notFound"]);
  });
});
