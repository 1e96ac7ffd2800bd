import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../../test/support/api/api.ts";
import { member } from "../../../test/support/api/people.ts";
import { refused } from "../../../test/support/api/refusal.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

/** A script that returns a text. */
const says = (text: string) => `export const main = () => "${text}";`;
const identity = (id = "a") => ({ id, value: { type: "identity" } });

const inline = (id: string, content: string, language = "bun") => ({
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

/** Something of everything, with fields that nothing here knows. */
const everything = JSON.parse(`{
  "modules": [
    {"id": "a", "summary": "first", "unknown": {"x": [1, null, {"y": "z"}]}, "value": {"type": "rawscript", "language": "bash", "content": "echo \\"$x\\"",
      "lock": "", "is_trigger": true, "assets": [{"path": "s3:///a"}], "concurrent_limit": 3,
      "input_transforms": {"x": {"type": "static", "value": {"type": "rawscript", "content": "kept", "__proto__": {"p": 1}}},
        "m": {"type": "ai", "model": "any", "prompt": "fill in"}, "n": {"type": "static"}, "__proto__": {"type": "static", "value": 1}}},
      "suspend": {"required_events": 2, "timeout": 60, "resume_form": {"schema": {"order": ["b", "a"]}}, "user_groups_required": {"type": "static", "value": ["all"]},
        "skin": "minimal"}, "debouncing": {"debounce_delay_s": 2}, "mock": {"enabled": true, "return_value": {"__proto__": 1}}},
    {"id": "b", "value": {"type": "script", "path": "f/t/any", "is_trigger": true}, "is_trigger": true, "retry": {"constant": {"attempts": 2, "seconds": 1}}},
    {"id": "c", "value": {"type": "consentgate", "approvers": ["ann@example.com", "role:admin"], "timeout": 60, "notification": {"channel": "chat", "resource_path": "f/ops/chat", "url": "https://example.com"},
      "message": "Run it?", "remind_after": 5, "escalate": {"after": 10, "approvers": ["g/all"]}}},
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
  it("a flow is returned deep-equal for any content", async () => {
    await created("f/t/everything", { value: everything });
    const { value, version_id: version } = await get("f/t/everything");
    expect(JSON.stringify(value)).toBe(JSON.stringify(everything));
    const again = (await ws.get(`flows/get/v/${version}`)).json as Flow;
    expect(JSON.stringify(again["value"])).toBe(JSON.stringify(everything));
    const found = (await ws.get("flows/list_search")).json as { path: string; value: object }[];
    expect(found.find(({ path }) => path === "f/t/everything")?.value).toEqual(everything);
    // The returned value can be sent again and creates the same flow.
    expectStatus(await update("f/t/everything", { ...(await get("f/t/everything")) }), 200);
    expect(JSON.stringify((await get("f/t/everything"))["value"])).toBe(JSON.stringify(everything));
  });

  it("a flow with invalid fields is 422 with each place and module", async () => {
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

  it("a new flow needs a free path and an existing folder", async () => {
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

describe("new versions", () => {
  it("a new version replaces the old one at its path, and the old one runs by its number", async () => {
    await created("f/t/versions", { value: { modules: [inline("a", says("one"))] }, deployment_message: "first" });
    const first = await versionAt("f/t/versions");
    const answer = await update("f/t/versions", aFlow("f/t/versions", { value: { modules: [inline("a", says("two"))] } }));
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

  it("the message of a version can be changed and removed", async () => {
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

  it("each of several simultaneous saves creates a version or fails because another one was faster", async () => {
    await created("f/t/race");
    const first = await versionAt("f/t/race");
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        update("f/t/race", aFlow("f/t/race", { summary: `${n}`, value: { modules: [inline("a", says(String(n)))] } })),
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
    expect(content).toBe(says(String(flow["summary"])));
    const [listed] = (await ws.get("flows/list", { path_exact: "f/t/race" })).json as Flow[];
    expect(listed).toMatchObject({ version_id: flow.version_id, summary: flow["summary"] });
    expect(String((await runWait("f/f/t/race")).json)).toBe(flow["summary"]);
  });

  it("one of several simultaneous creations succeeds", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => create(aFlow("f/t/first", { summary: `${n}` }))));
    const winner = answers.findIndex(({ status }) => status === 201) + 1;
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 400, 409]).toContain(status);
    expect(await get("f/t/first")).toMatchObject({ summary: `${winner}` });
    expect((await ws.get("flows/history/p/f/t/first")).json).toHaveLength(1);
  });
});

describe("renaming a flow", () => {
  it("a renamed flow retains its extra permissions and leaves only its history at the old path", async () => {
    const own = await newWorkspace(service.api);
    const ann = await member(own, "ann");
    await created("f/t/before", { value: { modules: [inline("a", says("old"))] } }, own);
    const first = await versionAt("f/t/before", own);
    expectStatus(await own.post("acls/add/flow/f/t/before", { owner: `u/${ann.username}`, write: false }), 200);
    const sent = aFlow("f/t/after", { value: { modules: [inline("a", says("new"))] } });
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

  it("a flow can be renamed to the path of an archived flow", async () => {
    await created("f/t/archived_target", { summary: "old" });
    expectStatus(await ws.post("flows/archive/f/t/archived_target", { archived: true }), 200);
    await created("f/t/mover", { summary: "new" });
    expectStatus(await update("f/t/mover", aFlow("f/t/archived_target", { summary: "new" })), 200);
    expect(await get("f/t/archived_target")).toMatchObject({ summary: "new", archived: false });
    expect((await ws.get("flows/history/p/f/t/archived_target")).json).toHaveLength(2);
  });
});
