import { randomUUID } from "node:crypto";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, shared } from "../../support/api.ts";
import { awsClients } from "../../support/aws.ts";
import { outboxOf } from "../../support/outbox.ts";
import { member } from "../../support/people.ts";
import { refused } from "../../support/refusal.ts";
import { until } from "../../support/until.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/workspace.ts";

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
const update = (path: string, flow: object, at: Workspace = ws) => at.post(`flows/update/${path}`, flow);
const created = async (path: string, fields: object = {}, at: Workspace = ws) => expectStatus(await create(aFlow(path, fields), at), 201);
interface Flow {
  path: string;
  version_id: number;
  [field: string]: unknown;
}
const get = async (path: string, at: Workspace = ws) => expectStatus(await at.get(`flows/get/${path}`), 200).json as Flow;
const versionAt = async (path: string, at: Workspace = ws) => (await get(path, at)).version_id;
const versionOf = async (version: number) => expectStatus(await ws.get(`flows/get/v/${version}`), 200).json as Flow;
const codeOf = (answer: Answer) => {
  const { status, code } = refused(answer);
  return [status, code];
};
const runWait = (target: string, args: object = {}, at: Workspace = ws) => at.post(`jobs/run_wait_result/${target}`, args);
const deployed = async (path: string, at: Workspace = ws) => {
  const { job_id: job } = expectStatus(await at.get(`flows/deployment_status/p/${path}`), 200).json as { job_id: string };
  return { job, ended: await at.completed(job, 120_000) };
};

/** Something of everything, with fields that nothing here knows. */
const everything = JSON.parse(`{
  "modules": [
    {"id": "a", "summary": "first", "unknown": {"x": [1, null, {"y": "z"}]}, "value": {"type": "rawscript", "language": "bash", "content": "echo \\"$x\\"",
      "lock": "", "is_trigger": true, "assets": [{"path": "s3:///a"}], "concurrent_limit": 3,
      "input_transforms": {"x": {"type": "static", "value": {"type": "rawscript", "content": "kept", "__proto__": {"p": 1}}},
        "m": {"type": "ai", "model": "any", "prompt": "fill in"}, "n": {"type": "static"}, "__proto__": {"type": "static", "value": 1}}},
      "suspend": {"required_events": 2, "timeout": 60, "resume_form": {"schema": {"order": ["b", "a"]}}, "user_groups_required": {"type": "static", "value": ["ops"]},
        "skin": "minimal"}, "debouncing": {"debounce_delay_s": 2}, "mock": {"enabled": true, "return_value": {"__proto__": 1}}},
    {"id": "b", "value": {"type": "script", "path": "f/t/any", "is_trigger": true}, "is_trigger": true, "retry": {"constant": {"attempts": 2, "seconds": 1}}},
    {"id": "c", "value": {"type": "consentgate", "approvers": ["u/ann", "role:admin"], "timeout": 60, "notification": {"channel": "chat", "url": "https://example.com"},
      "message": "Run it?", "remind_after": 5, "escalate": {"after": 10, "approvers": ["g/ops"]}}},
    {"id": "d", "value": {"type": "forloopflow", "iterator": {"type": "javascript", "expr": "flow_input.list"}, "skip_failures": true, "parallel": true,
      "parallelism": {"type": "static", "value": 2}, "modules": [{"id": "e", "value": {"type": "identity", "flow": true}}]}},
    {"id": "f", "value": {"type": "branchone", "branches": [{"summary": "one", "expr": "true", "modules": [], "more": 1}]}},
    {"id": "g", "value": {"type": "branchall", "branches": [{"skip_failure": true, "modules": []}], "parallel": false}},
    {"id": "h", "value": {"type": "whileloopflow", "modules": [], "skip_failures": false}, "stop_after_if": {"expr": "true", "error_message": null}},
    {"id": "i", "value": {"type": "aiagent", "tools": [{"id": "t", "value": {"anything": [1]}}]}},
    {"id": "toString", "value": {"type": "flow", "path": "f/t/other"}, "timeout": {"type": "static", "value": 5}}
  ],
  "failure_module": {"id": "failure", "value": {"type": "script", "path": "f/t/any", "input_transforms": {}}},
  "preprocessor_module": {"id": "preprocessor", "value": {"type": "script", "path": "f/t/any", "input_transforms": {}}},
  "notes": [{"id": "n1", "text": "Ünïcode 🙂", "position": {"x": 1.5, "y": -2e-7}, "__proto__": {"z": 1}}],
  "groups": [{"summary": "g", "start_id": "a", "end_id": "c", "color": null}],
  "flow_env": {"A": "$var:f/t/a", "__proto__": "kept", "B": [1]},
  "preserve_step_tags": true, "debounce_key": "k", "chat_input_enabled": false, "early_return": "b", "__proto__": {"own": true}
}`) as object;

describe("saving a flow", () => {
  it("answers 201 with its path, and gives every field back as it was sent", async () => {
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

  it("gives the flow itself back deep-equal, whatever it holds", async () => {
    await created("f/t/everything", { value: everything });
    const { value, version_id: version } = await get("f/t/everything");
    expect(JSON.stringify(value)).toBe(JSON.stringify(everything));
    const again = (await ws.get(`flows/get/v/${version}`)).json as Flow;
    expect(JSON.stringify(again["value"])).toBe(JSON.stringify(everything));
    const found = (await ws.get("flows/list_search")).json as { path: string; value: object }[];
    expect(found.find(({ path }) => path === "f/t/everything")?.value).toEqual(everything);
    // What was given back may be sent again: the same flow comes of it.
    expectStatus(await update("f/t/everything", { ...(await get("f/t/everything")) }), 200);
    expect(JSON.stringify((await get("f/t/everything"))["value"])).toBe(JSON.stringify(everything));
  });

  it("of several hundred kilobytes works like any other, its text apart and gone with it", async () => {
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

  it("above 4 MB is refused with the limit", async () => {
    const pad = (bytes: number) => aFlow("f/t/too_large", { value: { modules: [identity()], notes: "x".repeat(bytes) } });
    const body = refused(await create(pad(4 * 1024 * 1024)));
    expect(body).toMatchObject({ status: 413, text: expect.stringContaining("4 MB") });
    const room = 4 * 1024 * 1024 - JSON.stringify(pad(0)).length;
    expect(refused(await create(pad(room)))).toMatchObject({ status: 413, code: "flow.tooLarge", text: expect.stringContaining("4 MB") });
    expect((await ws.get("flows/exists/f/t/too_large")).json).toBe(false);
  });

  it("with wrong fields is 422 and names each place with its module", async () => {
    const wrong = {
      modules: [
        { id: "a", value: { type: "rawscript", language: "bash" } },
        {
          id: "loop",
          value: { type: "forloopflow", iterator: { type: "nothing" }, modules: [{ id: "in ner", value: { type: "identity" } }] },
        },
      ],
    };
    for (const route of ["flows/create", "flows/update/f/t/fields"]) {
      const { status, code, text } = refused(await ws.post(route, aFlow("f/t/wrong", { value: wrong })));
      expect([status, code]).toEqual([422, "body.shape"]);
      expect(text).toContain("value.modules.0.value.content (module a): ");
      expect(text).toContain("value.modules.1.value.iterator.type (module loop): ");
      expect(text).toContain("value.modules.1.value.modules.0.id (module loop): ");
      expect(text.split("; ")).toHaveLength(3);
    }
    const twice = refused(await create(aFlow("f/t/wrong", { value: { modules: [identity(), identity()], early_return: "z" } })));
    expect(twice.text).toContain(
      "value.modules.1.id (module a): is already the id of value.modules.0; value.early_return: is not the id of a top-level step",
    );
    expect((await ws.get("flows/exists/f/t/wrong")).json).toBe(false);
  });

  it("needs a free path, and a folder that is there", async () => {
    await created("f/t/taken");
    expect(codeOf(await create(aFlow("f/t/taken")))).toEqual([400, "flow.pathTaken"]);
    expect(codeOf(await create(aFlow("f/nowhere/a")))).toEqual([400, "path.noFolder"]);
    expect(codeOf(await create(aFlow("no/path")))).toEqual([422, "body.shape"]);
    expect(codeOf(await update("f/t/never", aFlow("f/t/never")))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await update("f/t/never", aFlow("f/t/never_too")))).toEqual([404, "flow.notFound"]);
    await ws.saveScript({ path: "f/t/both", language: "bash", content: "echo script" }, false);
    await created("f/t/both");
  });
});

describe("a new version", () => {
  it("takes the path; the older one is kept under its number, and runs by it", async () => {
    await created("f/t/versions", { value: { modules: [inline("a", "echo one")] }, deployment_message: "first" });
    const first = await versionAt("f/t/versions");
    const answer = await update("f/t/versions", aFlow("f/t/versions", { value: { modules: [inline("a", "echo two")] } }));
    expect([answer.status, answer.text]).toEqual([200, "f/t/versions"]);
    const second = await versionAt("f/t/versions");
    expect(second).toBeGreaterThan(first);
    const history = (await ws.get("flows/history/p/f/t/versions")).json;
    expect(history).toEqual([
      { id: second, hash: expect.stringMatching(/^[0-9a-f]{16}$/), created_at: expect.any(String), created_by: "admin" },
      {
        id: first,
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
        created_at: expect.any(String),
        created_by: "admin",
        deployment_msg: "first",
      },
    ]);
    expect((await ws.get("flows/get_latest_version/f/t/versions")).json).toMatchObject({ id: second });
    expect((await ws.get(`flows/get/v/${first}`)).json).toMatchObject({ path: "f/t/versions", version_id: first });
    expect((await runWait("f/f/t/versions")).json).toBe("two");
    expect((await runWait(`fv/${first}`)).json).toBe("one");
    expect((await runWait(`fv/${second}`)).json).toBe("two");
    const hashes = await Promise.all([first, second].map(async (version) => (await versionOf(version))["hash"] as string));
    expect(hashes).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), (await get("f/t/versions"))["hash"]]);
    expect(new Set(hashes).size).toBe(2);
    for (const [index, runs] of [1, 2].entries()) {
      const query = { script_hash: hashes[index] ?? "", job_kinds: "flow" };
      expect((await ws.get("jobs/list", query)).json).toHaveLength(runs);
    }
  });

  it("has a message that can be set later, and taken away", async () => {
    await created("f/t/message");
    const version = await versionAt("f/t/message");
    const messages = async () =>
      ((await ws.get("flows/history/p/f/t/message")).json as object[]).map((entry) => ({ ...entry, created_at: "", hash: "" }));
    const entry = { id: version, hash: "", created_at: "", created_by: "admin" };
    expectStatus(await ws.post(`flows/history_update/v/${version}`, { deployment_msg: "now" }), 200);
    expect(await messages()).toEqual([{ ...entry, deployment_msg: "now" }]);
    expectStatus(await ws.post(`flows/history_update/v/${version}`, {}), 200);
    expect(await messages()).toEqual([entry]);
    expect(codeOf(await ws.post("flows/history_update/v/1", { deployment_msg: "x" }))).toEqual([404, "flow.versionNotFound"]);
  });

  it("of several savers at once: each is a version, or is told that somebody was faster", async () => {
    await created("f/t/race");
    const first = await versionAt("f/t/race");
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        update("f/t/race", aFlow("f/t/race", { summary: `${n}`, value: { modules: [inline("a", `echo ${n}`)] } })),
      ),
    );
    const saved = answers.filter(({ status }) => status === 200).length;
    expect(saved).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 200) expect(codeOf(answer)).toEqual([409, "flow.changedMeanwhile"]);
    const flow = await get("f/t/race");
    const history = (await ws.get("flows/history/p/f/t/race")).json as { id: number }[];
    expect(history).toHaveLength(saved + 1);
    expect([history[0]?.id, history.at(-1)?.id]).toEqual([flow.version_id, first]);
    const content = (flow["value"] as { modules: [{ value: { content: string } }] }).modules[0].value.content;
    expect(content).toBe(`echo ${flow["summary"]}`);
    const [listed] = (await ws.get("flows/list", { path_exact: "f/t/race" })).json as Flow[];
    expect(listed).toMatchObject({ version_id: flow.version_id, summary: flow["summary"] });
    expect(String((await runWait("f/f/t/race")).json)).toBe(flow["summary"]);
  });

  it("of several who create at once: one does", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => create(aFlow("f/t/first", { summary: `${n}` }))));
    const winner = answers.findIndex(({ status }) => status === 201) + 1;
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 400, 409]).toContain(status);
    expect(await get("f/t/first")).toMatchObject({ summary: `${winner}` });
    expect((await ws.get("flows/history/p/f/t/first")).json).toHaveLength(1);
  });
});

describe("renaming a flow", () => {
  it("takes its extra rights along and leaves nothing at the old path but its history", async () => {
    const own = await newWorkspace();
    const ann = await member(own, "ann");
    await created("f/t/before", { value: { modules: [inline("a", "echo old")] } }, own);
    const first = await versionAt("f/t/before", own);
    expectStatus(await own.post("acls/add/flow/f/t/before", { owner: `u/${ann.username}`, write: false }), 200);
    const sent = aFlow("f/t/after", { value: { modules: [inline("a", "echo new")] } });
    expect((await update("f/t/before", sent, own)).text).toBe("f/t/after");
    expect(codeOf(await own.get("flows/get/f/t/before"))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await runWait("f/f/t/before", {}, own))).toEqual([404, "flow.notFound"]);
    expect((await own.get("flows/exists/f/t/before")).json).toBe(false);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/t/after"]);
    expect(await get("f/t/after", own)).toMatchObject({ extra_perms: { [`u/${ann.username}`]: false } });
    expect(await get("f/t/after", ann.in(own))).toMatchObject({ path: "f/t/after" });
    expect((await runWait("f/f/t/after", {}, own)).json).toBe("new");
    expect((await runWait(`fv/${first}`, {}, own)).json).toBe("old");
    expect((await own.get("flows/history/p/f/t/before")).json).toMatchObject([{ id: first }]);
    await created("f/t/before", {}, own);
    expect(await get("f/t/before", own)).toMatchObject({ extra_perms: {} });
    // Onto a path that is taken: nothing changes.
    expect(codeOf(await update("f/t/before", sent, own))).toEqual([400, "flow.pathTaken"]);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/t/after", "f/t/before"]);
  });

  it("onto an archived flow's path takes its place", async () => {
    await created("f/t/archived_target", { summary: "old" });
    expectStatus(await ws.post("flows/archive/f/t/archived_target", { archived: true }), 200);
    await created("f/t/mover", { summary: "new" });
    expectStatus(await update("f/t/mover", aFlow("f/t/archived_target", { summary: "new" })), 200);
    expect(await get("f/t/archived_target")).toMatchObject({ summary: "new", archived: false });
    expect((await ws.get("flows/history/p/f/t/archived_target")).json).toHaveLength(2);
  });
});

describe("reading flows", () => {
  it("lists the newest versions with paging and filters, without their steps", async () => {
    const own = await newWorkspace();
    const ann = await member(own, "ann", "admin");
    await created("f/t/s0", { description: "long", labels: ["l0"] }, own);
    await created("f/t/s1", { labels: ["l0", "l1"], dedicated_worker: true }, own);
    await created("f/t/s2", { tag: "x" }, ann.in(own));
    const items = async (query = {}) => expectStatus(await own.get("flows/list", query), 200).json as Flow[];
    const list = async (query = {}) => (await items(query)).map(({ path }) => path);
    expect(await list()).toEqual(["f/t/s2", "f/t/s1", "f/t/s0"]);
    expect(await list({ order_desc: false })).toEqual(["f/t/s0", "f/t/s1", "f/t/s2"]);
    expect(await list({ per_page: 2, page: 1 })).toEqual(["f/t/s2", "f/t/s1"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["f/t/s0"]);
    expect(await list({ per_page: 2, page: 3 })).toEqual([]);
    expect(await list({ label: "l0" })).toEqual(["f/t/s1", "f/t/s0"]);
    expect(await list({ path_start: "f/t/s1" })).toEqual(["f/t/s1"]);
    expect(await list({ path_exact: "f/t/s" })).toEqual([]);
    expect(await list({ path_exact: "f/t/s0" })).toEqual(["f/t/s0"]);
    expect(await list({ created_by: ann.username })).toEqual(["f/t/s2"]);
    expect(await list({ dedicated_worker: true })).toEqual(["f/t/s1"]);
    expect(await list({ dedicated_worker: false })).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ starred_only: true })).toEqual([]);
    expect(await list({ include_draft_only: true })).toHaveLength(3);
    expect((await items({ path_exact: "f/t/s0" }))[0]).toMatchObject({ description: "long", version_id: expect.any(Number) });
    expect((await items({ path_exact: "f/t/s0", without_description: true }))[0]).toMatchObject({ description: "" });
    for (const flow of await items()) expect(flow).not.toHaveProperty("value");
    expectStatus(await own.post("flows/archive/f/t/s1", {}), 200);
    expect(await list()).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ show_archived: true })).toEqual(["f/t/s1"]);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/t/s0", "f/t/s2"]);
    expect(((await own.get("flows/list_search")).json as Flow[]).map(({ path }) => path)).toEqual(["f/t/s0", "f/t/s2"]);
  });

  it("names every URL form with a curl line, and each of them runs it", async () => {
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

  it.each(["get", "history/p", "get_latest_version", "deployment_status/p", "webhooks"])("%s of no flow is 404", async (route) => {
    expect(codeOf(await ws.get(`flows/${route}/f/t/none`))).toEqual([404, "flow.notFound"]);
  });

  it("of no version is 404, and of what is no version 400", async () => {
    expect(codeOf(await ws.get("flows/get/v/1"))).toEqual([404, "flow.versionNotFound"]);
    for (const version of ["0", "-1", "1.5", "abc", "99999999999999999999"]) {
      expect(codeOf(await ws.get(`flows/get/v/${version}`))).toEqual([400, "query.invalid"]);
    }
  });
});

describe("taking flows away", () => {
  it("archives: the path is free, the versions stay; and brings back", async () => {
    await created("f/t/old", { value: { modules: [inline("a", "echo old")] } });
    const version = await versionAt("f/t/old");
    expectStatus(await ws.post("flows/archive/f/t/old", { archived: true }), 200);
    expect(await get("f/t/old")).toMatchObject({ archived: true });
    expect((await ws.get("flows/exists/f/t/old")).json).toBe(false);
    expect(codeOf(await runWait("f/f/t/old"))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await update("f/t/old", aFlow("f/t/old")))).toEqual([404, "flow.notFound"]);
    expect((await runWait(`fv/${version}`)).json).toBe("old");
    expectStatus(await ws.post("flows/archive/f/t/old", { archived: false }), 200);
    expect(await get("f/t/old")).toMatchObject({ archived: false, version_id: version });
    expect((await runWait("f/f/t/old")).json).toBe("old");
    expectStatus(await ws.post("flows/archive/f/t/old"), 200);
    await created("f/t/old", { value: { modules: [inline("a", "echo new")] } });
    expect((await runWait("f/f/t/old")).json).toBe("new");
    expect(codeOf(await ws.post("flows/archive/f/t/none", {}))).toEqual([404, "flow.notFound"]);
  });

  it("deletes with all versions and rights, and once more without complaint", async () => {
    const own = await newWorkspace();
    const ann = await member(own, "ann");
    await created("f/t/gone", {}, own);
    const first = await versionAt("f/t/gone", own);
    expectStatus(await update("f/t/gone", aFlow("f/t/gone"), own), 200);
    const second = await versionAt("f/t/gone", own);
    expectStatus(await own.post("acls/add/flow/f/t/gone", { owner: `u/${ann.username}`, write: true }), 200);
    for (const _ of [1, 2]) {
      const answer = expectStatus(await own.call("DELETE", "flows/delete/f/t/gone"), 200);
      expect(answer.text).toBe("f/t/gone");
    }
    for (const version of [first, second]) {
      expect(codeOf(await own.get(`flows/get/v/${version}`))).toEqual([404, "flow.versionNotFound"]);
      expect(codeOf(await runWait(`fv/${version}`, {}, own))).toEqual([404, "flow.versionNotFound"]);
    }
    expect(codeOf(await own.get("flows/history/p/f/t/gone"))).toEqual([404, "flow.notFound"]);
    expect((await own.get("flows/list_paths")).json).toEqual([]);
    await created("f/t/gone", {}, own);
    expect(await get("f/t/gone", own)).toMatchObject({ extra_perms: {} });
    expect(codeOf(await ann.in(own).get("flows/get/f/t/gone"))).toEqual([404, "flow.notFound"]);
  });

  it("is left in one of two whole states when somebody saves at the same moment", async () => {
    for (let n = 0; n < 5; n += 1) {
      const path = `f/t/crossed_${n}`;
      await created(path);
      const [deleted, saved] = await Promise.all([
        ws.call("DELETE", `flows/delete/${path}`),
        update(path, aFlow(path, { summary: "new" })),
      ]);
      expect([200, 409]).toContain(deleted.status);
      expect([200, 404, 409]).toContain(saved.status);
      const exists = (await ws.get(`flows/exists/${path}`)).json;
      expect((await ws.get(`flows/get/${path}`)).status).toBe(exists ? 200 : 404);
      expect(((await ws.get("flows/list_paths")).json as string[]).includes(path)).toBe(exists);
      if (deleted.status === 200) expect(exists).toBe(false);
    }
  });
});

describe("rights on flows", () => {
  it("hide what may not be read, and refuse changes to who may only read", async () => {
    const own = await newWorkspace();
    const [reader, stranger] = [await member(own, "reader"), await member(own, "stranger")];
    expectStatus(await own.post("folders/create", { name: "closed", extra_perms: { [`u/${reader.username}`]: false } }), 201);
    await created("f/closed/flow", { value: { modules: [inline("a", "echo secret")] } }, own);
    const version = await versionAt("f/closed/flow", own);
    const hidden = stranger.in(own);
    for (const route of ["get", "history/p", "get_latest_version", "deployment_status/p", "webhooks"]) {
      expect(codeOf(await hidden.get(`flows/${route}/f/closed/flow`))).toEqual([404, "flow.notFound"]);
      expectStatus(await reader.in(own).get(`flows/${route}/f/closed/flow`), 200);
    }
    expect(codeOf(await hidden.get(`flows/get/v/${version}`))).toEqual([404, "flow.versionNotFound"]);
    expect(codeOf(await hidden.post(`flows/history_update/v/${version}`, {}))).toEqual([404, "flow.versionNotFound"]);
    expect(codeOf(await hidden.post("jobs/run/f/f/closed/flow", {}))).toEqual([404, "flow.notFound"]);
    expect(codeOf(await hidden.post(`jobs/run/fv/${version}`, {}))).toEqual([404, "flow.versionNotFound"]);
    expect((await hidden.get("flows/exists/f/closed/flow")).json).toBe(false);
    for (const list of ["list", "list_paths", "list_search"]) expect((await hidden.get(`flows/${list}`)).json).toEqual([]);
    for (const [method, route, body] of changes("f/closed/flow")) {
      expect(codeOf(await hidden.call(method, route, { body }))).toEqual([404, "flow.notFound"]);
      expect(codeOf(await reader.in(own).call(method, route, { body }))).toEqual([403, "auth.forbidden"]);
    }
    expect(codeOf(await reader.in(own).post(`flows/history_update/v/${version}`, {}))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await reader.in(own).post("flows/create", aFlow("f/closed/other")))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await hidden.post("flows/create", aFlow("f/closed/other")))).toEqual([400, "path.noFolder"]);
    expect((await runWait("f/f/closed/flow", {}, reader.in(own))).json).toBe("secret");
    expect(await get("f/closed/flow", own)).toMatchObject({ version_id: version, archived: false });
  });

  it("are needed at both ends of a renaming", async () => {
    const own = await newWorkspace();
    const ann = await member(own, "ann");
    expectStatus(await own.post("folders/create", { name: "closed", extra_perms: { [`u/${ann.username}`]: false } }), 201);
    await created("f/closed/flow", {}, own);
    await created(`u/${ann.username}/flow`, {}, ann.in(own));
    const to = aFlow(`u/${ann.username}/taken_away`);
    expect(codeOf(await update("f/closed/flow", to, ann.in(own)))).toEqual([403, "auth.forbidden"]);
    expect(codeOf(await update(`u/${ann.username}/flow`, aFlow("f/closed/smuggled"), ann.in(own)))).toEqual([403, "auth.forbidden"]);
    expectStatus(await update(`u/${ann.username}/flow`, to, ann.in(own)), 200);
    expect((await own.get("flows/list_paths")).json).toEqual(["f/closed/flow", `u/${ann.username}/taken_away`]);
  });

  it("of runs are those of whom the flow acts for", async () => {
    const own = await newWorkspace();
    const [ann, bob] = [await member(own, "ann"), await member(own, "bob")];
    const value = { modules: [inline("a", "export const main = () => process.env.OV_EMAIL ?? process.env.WM_EMAIL;", "bun")] };
    const fields = { value, on_behalf_of_email: ann.email };
    const emailOf = async (path: string) => (await runWait(`f/${path}`, {}, own)).json;
    expectStatus(await create(aFlow("f/t/mine", { value }), own), 201);
    await created("f/t/adopted", fields, own);
    expect(await get("f/t/adopted", own)).toMatchObject({ on_behalf_of_email: "admin@example.com" });
    await created("f/t/kept", { ...fields, preserve_on_behalf_of: true }, own);
    expect(await get("f/t/kept", own)).toMatchObject({ on_behalf_of_email: ann.email });
    expect(await get("f/t/kept", own)).not.toHaveProperty("preserve_on_behalf_of");
    expect([await emailOf("f/t/mine"), await emailOf("f/t/kept")]).toEqual(["admin@example.com", ann.email]);
    const theirs = aFlow(`u/${bob.username}/theirs`, { ...fields, preserve_on_behalf_of: true });
    expect(codeOf(await create(theirs, bob.in(own)))).toEqual([403, "script.notOnBehalf"]);
    const unknown = { ...fields, on_behalf_of_email: `${randomUUID()}@example.com`, preserve_on_behalf_of: true };
    expect(codeOf(await create(aFlow("f/t/unknown", unknown), own))).toEqual([404, "user.notFound"]);
  });
});

const changes = (path: string): [string, string, object][] => [
  ["POST", `flows/update/${path}`, aFlow(path)],
  ["POST", `flows/archive/${path}`, { archived: true }],
  ["DELETE", `flows/delete/${path}`, {}],
];

describe("every change of a flow writes exactly one typed event", () => {
  it("and what changes nothing writes none", async () => {
    const own = await newWorkspace();
    const [folder] = await outboxOf(own.id);
    await created("f/t/a", {}, own);
    expectStatus(await update("f/t/a", aFlow("f/t/a"), own), 200);
    expectStatus(await update("f/t/a", aFlow("f/t/b"), own), 200);
    for (const archived of [true, true, false, false]) expectStatus(await own.post("flows/archive/f/t/b", { archived }), 200);
    for (const path of ["f/t/b", "f/t/b", "f/t/none"]) expectStatus(await own.call("DELETE", `flows/delete/${path}`), 200);
    expect((await create(aFlow("f/nowhere/a"), own)).status).toBe(400);
    expect((await update("f/t/none", aFlow("f/t/none"), own)).status).toBe(404);
    expect(await outboxOf(own.id)).toEqual([
      folder,
      "CreateFlow f/t/a",
      "UpdateFlow f/t/a",
      "UpdateFlow f/t/b",
      "ArchiveFlow f/t/b",
      "UpdateFlow f/t/b",
      "DeleteFlow f/t/b",
    ]);
  });
});

describe("building a flow", () => {
  it("locks each inline script, and says so in the job's result; the flow stays as it was sent", async () => {
    const leftPad = 'import p from "left-pad@1.3.0"; export const main = () => p("a", 3);';
    const value = {
      modules: [
        inline("pad", leftPad, "bun"),
        { id: "l", value: { type: "branchall", branches: [{ modules: [inline("plain", "echo b")] }] } },
      ],
      failure_module: inline("failure", leftPad, "bun"),
    };
    await created("f/t/locked", { value });
    const { job, ended } = await deployed("f/t/locked");
    expect(ended).toMatchObject({ id: job, job_kind: "flowdependencies", success: true, script_path: "f/t/locked" });
    const { locks } = ended["result"] as { locks: Record<string, string> };
    expect(Object.keys(locks).sort()).toEqual(["failure", "pad", "plain"]);
    expect(locks["pad"]).toContain("left-pad");
    expect([locks["failure"], locks["plain"]]).toEqual([locks["pad"], ""]);
    expect((await get("f/t/locked"))["value"]).toEqual(value);
    expect((await ws.get("flows/deployment_status/p/f/t/locked")).json).toEqual({ job_id: job });
    expect((await runWait("f/f/t/locked")).json).toEqual(["b"]);
    // A lock that is sent is kept to.
    const sent = { modules: [{ id: "pad", value: { ...inline("pad", leftPad, "bun").value, lock: locks["pad"] } }] };
    expectStatus(await update("f/t/locked", aFlow("f/t/locked", { value: sent })), 200);
    expect((await deployed("f/t/locked")).ended["result"]).toEqual({ locks: { pad: locks["pad"] } });
  });

  it("that fails says of each inline script what is wrong with it, and so does a run", async () => {
    const broken = [
      inline("good", "export const main = () => 1;", "bun"),
      inline("bad", 'import x from "/f/t/not_there"; export const main = () => x;', "bun"),
      { id: "l", value: { type: "branchone", branches: [], default: [inline("worse", "export const main = ((;", "bun")] } },
    ];
    await created("f/t/broken", { value: { modules: broken } });
    const { ended } = await deployed("f/t/broken");
    expect(ended).toMatchObject({ success: false, result: { error: { name: "DependencyError" } } });
    const { lock_error_logs: logs = "" } = (await ws.get("flows/deployment_status/p/f/t/broken")).json as { lock_error_logs?: string };
    expect(logs).toMatch(/^bad: .*f\/t\/not_there/m);
    expect(logs).toMatch(/^worse: /m);
    expect(logs).not.toMatch(/^good: /m);
    expect(await get("f/t/broken")).toMatchObject({ lock_error_logs: logs });
    expect((await runWait("f/f/t/broken")).json).toMatchObject({ error: { name: "DependencyError", message: logs } });
    // The next version is another try.
    expectStatus(await update("f/t/broken", aFlow("f/t/broken", { value: { modules: [inline("good", "echo good")] } })), 200);
    expect((await runWait("f/f/t/broken")).json).toBe("good");
    expect(await get("f/t/broken")).not.toHaveProperty("lock_error_logs");
  });

  it("refuses what no state machine holds, and says how much one does", async () => {
    const modules = Array.from({ length: 3000 }, (_, index) => identity(`m${index}`));
    await created("f/t/long", { value: { modules } });
    const { ended } = await deployed("f/t/long");
    expect(ended["result"]).toMatchObject({
      error: { message: expect.stringMatching(/at most \d+ steps are allowed outside loops/) },
    });
    expect((await ws.get("flows/deployment_status/p/f/t/long")).json).toMatchObject({
      lock_error_logs: expect.stringContaining("too large"),
    });
  });

  it("keeps a run that came before it ended waiting, and runs it then", async () => {
    await created("f/t/early", { value: { modules: [inline("a", `echo ${randomUUID()}; echo ready`)] } });
    const job = expectStatus(await ws.post("jobs/run/f/f/t/early", {}), 201).text;
    expect((await ws.completed(job))["result"]).toBe("ready");
  });

  it("of a language that nothing here runs works, and its step says so", async () => {
    const value = { modules: [inline("toString", "fn main() {}", "rust")] };
    await created("f/t/rust", { value });
    expect((await runWait("f/f/t/rust")).json).toMatchObject({ error: { name: "NoRunner", step_id: "toString" } });
    await until(async () => (await deployed("f/t/rust")).ended["success"]);
  });
});
