import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

/**
 * Scripts that import the clients of this family of APIs get the packages of the registry. Each script calls the helpers of a package
 * that work without another product (databases, chat services, Kafka) and returns what each answered.
 */
const typescript = `import * as wmill from "windmill-client";

const calls: [string, () => unknown][] = [
  ["getWorkspace", () => wmill.default.getWorkspace()],
  ["runScriptByPath", () => wmill.runScriptByPath("f/t/child", { name: "Ada" }, true)],
  ["runScriptByHash", async () => wmill.runScriptByHash(await hashOfChild(), { name: "Bob" })],
  ["runScript", () => wmill.runScript("f/t/child", null, { name: "Cleo" })],
  ["runFlow", () => wmill.runFlow("f/t/flow", { x: 4 })],
  ["runScriptByPathAsync", async () => wmill.waitJob(await wmill.runScriptByPathAsync("f/t/child", { name: "later" }))],
  ["runScriptByHashAsync", async () => wmill.waitJob(await wmill.runScriptByHashAsync(await hashOfChild(), { name: "later" }))],
  ["runScriptAsync", async () => wmill.waitJob(await wmill.runScriptAsync("f/t/child", null, { name: "later" }))],
  ["runFlowAsync", async () => wmill.waitJob(await wmill.runFlowAsync("f/t/flow", { x: 5 }, null, false))],
  ["getResult", async () => wmill.default.getResult(await ended())],
  ["getResultMaybe", async () => wmill.default.getResultMaybe(await ended())],
  ["getRootJobId", async () => (await wmill.getRootJobId()) === process.env.WM_ROOT_FLOW_JOB_ID],
  ["cancelJob", async () => typeof (await wmill.cancelJob(await wmill.runScriptByPathAsync("f/t/child", {}, 600), "not needed"))],
  ["failure", () => wmill.runScriptByPath("f/t/failing")],
  ["setVariable", async () => { await wmill.setVariable("u/admin/v", "1"); await wmill.setVariable("u/admin/v", "2"); return wmill.getVariable("u/admin/v"); }],
  ["setResource", async () => { await wmill.setResource({ a: 1 }, "u/admin/r", "any"); await wmill.setResource({ a: 2 }, "u/admin/r"); return wmill.getResource("u/admin/r"); }],
  ["missingResource", () => wmill.getResource("u/admin/none", true)],
  ["databaseUrlFromResource", () => wmill.default.databaseUrlFromResource("u/admin/db")],
  ["setState", async () => { await wmill.setState({ n: 1 }); return wmill.getState(); }],
  ["setInternalState", async () => { await wmill.default.setInternalState({ n: 2 }); return wmill.default.getInternalState(); }],
  ["setProgress", async () => { await wmill.setProgress(40); return wmill.getProgress(); }],
  ["setFlowUserState", async () => { await wmill.setFlowUserState("k", { a: 1 }, true); return wmill.getFlowUserState("k", true); }],
  ["usernameToEmail", async () => typeof (await wmill.usernameToEmail("admin"))],
  ["getIdToken", async () => (await wmill.getIdToken("sts.amazonaws.com")).split(".").length],
  ["getResumeUrls", async () => Object.keys(await wmill.getResumeUrls("ann")).sort()],
  ["getResumeEndpoints", async () => Object.keys(await wmill.default.getResumeEndpoints("ann")).sort()],
  ["writeS3File", async () => { const file = await wmill.writeS3File({ s3: "ts/a.txt" }, "hello"); return [file, new TextDecoder().decode(await wmill.loadS3File(file))]; }],
  ["writeS3Blob", async () => { const file = await wmill.writeS3File(undefined, new Blob(["blob"])); return (await wmill.loadS3FileStream(file))?.text(); }],
  ["signS3Objects", async () => (await wmill.signS3Objects([{ s3: "ts/a.txt" }])).map((one: object) => Object.keys(one).sort())],
  ["signS3Object", async () => Object.keys(await wmill.signS3Object({ s3: "ts/a.txt" }, { expirySecs: 60 })).sort()],
  ["getPresignedS3PublicUrls", async () => { const [url = ""] = await wmill.getPresignedS3PublicUrls([{ s3: "ts/a.txt" }]); return (await fetch(url)).text(); }],
  ["getPresignedS3PublicUrl", async () => (await fetch(await wmill.getPresignedS3PublicUrl({ s3: "ts/a.txt" }))).text()],
  ["deleteS3File", async () => { await wmill.deleteS3File({ s3: "ts/a.txt" }); return wmill.loadS3File({ s3: "ts/a.txt" }).then(() => "there", () => "gone"); }],
  ["denoS3LightClientSettings", async () => typeof (await wmill.denoS3LightClientSettings("u/admin/s3")).bucket],
  ["step", () => wmill.step("s", () => 7)],
  ["parallel", () => wmill.parallel([1, 2], async (n: number) => n * 2)],
  ["base64", () => wmill.default.uint8ArrayToBase64(wmill.default.base64ToUint8Array("aGk="))],
  ["UserService", async () => (await wmill.UserService.whoami({ workspace: process.env.WM_WORKSPACE! })).username],
  ["JobService", async () => (await wmill.JobService.getJob({ workspace: process.env.WM_WORKSPACE!, id: process.env.WM_JOB_ID! })).id === process.env.WM_JOB_ID],
  ["ScriptService", async () => (await wmill.ScriptService.listScripts({ workspace: process.env.WM_WORKSPACE! })).length > 0],
  ["VariableService", async () => (await wmill.VariableService.listVariable({ workspace: process.env.WM_WORKSPACE! })).length > 0],
];
const hashOfChild = async () => (await wmill.ScriptService.getScriptByPath({ workspace: process.env.WM_WORKSPACE!, path: "f/t/child" })).hash;
const ended = async () => { const id = await wmill.runScriptByPathAsync("f/t/child", { name: "Eve" }); await wmill.waitJob(id); return id; };

export async function main() {
  const answers: Record<string, unknown> = {};
  for (const [name, call] of calls) {
    try {
      answers[name] = (await call()) ?? null;
    } catch (error) {
      answers[name] = { failed: String(error), body: (error as { body?: unknown }).body };
    }
  }
  return answers;
}
`;

const python = `import json, os
import wmill

def run_async(path, args):
    return wmill.Windmill().wait_job(wmill.run_script_by_path_async(path, args))

def written(key, content):
    file = wmill.write_s3_file({"s3": key}, content)
    return [file, wmill.load_s3_file(file, None).decode()]

def read_all(file):
    with wmill.load_s3_file_reader(file, None) as reader:
        return reader.read().decode()

def deleted(key):
    wmill.delete_s3_object({"s3": key})
    try:
        wmill.load_s3_file({"s3": key}, None)
        return "there"
    except Exception:
        return "gone"

def both(first, second):
    first()
    return second()

def hash_of_child():
    return wmill.Windmill().get(f"/w/{wmill.get_workspace()}/scripts/get/p/f/t/child").json()["hash"]

def ended():
    id = wmill.run_script_by_path_async("f/t/child", {"name": "Eve"})
    wmill.Windmill().wait_job(id)
    return id

def url_text(url):
    import httpx
    return httpx.get(url).text

calls = {
    "get_version": lambda: wmill.get_version().startswith("CE "),
    "run_script": lambda: wmill.run_script("f/t/child", None, {"name": "Cleo"}),
    "run_script_by_path": lambda: wmill.run_script_by_path("f/t/child", {"name": "Ada"}, verbose=True),
    "run_script_by_hash": lambda: wmill.run_script_by_hash(hash_of_child(), {"name": "Bob"}),
    "run_script_sync": lambda: wmill.run_script_sync(hash_of_child(), {"name": "Bob"}),
    "run_script_by_path_sync": lambda: wmill.run_script_by_path_sync("f/t/child", {"name": "Bob"}),
    "run_script_by_path_async": lambda: run_async("f/t/child", {"name": "later"}),
    "run_script_by_hash_async": lambda: wmill.Windmill().wait_job(wmill.run_script_by_hash_async(hash_of_child(), {"name": "later"})),
    "run_flow_async": lambda: wmill.Windmill().wait_job(wmill.run_flow_async("f/t/flow", {"x": 5}, do_not_track_in_parent=False)),
    "failure": lambda: wmill.run_script_by_path("f/t/failing"),
    "get_result": lambda: wmill.get_result(ended()),
    "get_job_status": lambda: wmill.get_job_status(ended()),
    "get_job": lambda: wmill.get_job(os.environ["WM_JOB_ID"])["id"] == os.environ["WM_JOB_ID"],
    "get_root_job_id": lambda: wmill.get_root_job_id() == os.environ["WM_ROOT_FLOW_JOB_ID"],
    "cancel_job": lambda: type(wmill.cancel_job(wmill.run_script_by_path_async("f/t/child", {}, 600), "no")).__name__,
    "cancel_running": lambda: wmill.cancel_running(),
    "whoami": lambda: wmill.whoami()["email"] != "",
    "variables": lambda: both(lambda: wmill.set_variable("u/admin/pv", "1"), lambda: both(lambda: wmill.set_variable("u/admin/pv", "2"), lambda: wmill.get_variable("u/admin/pv"))),
    "resources": lambda: both(lambda: wmill.set_resource("u/admin/pr", {"a": 1}), lambda: wmill.get_resource("u/admin/pr")),
    "missing_resource": lambda: wmill.get_resource("u/admin/none", none_if_undefined=True),
    "list_resources": lambda: len(wmill.list_resources()) > 0,
    "state": lambda: both(lambda: wmill.set_state({"n": 1}), lambda: wmill.get_state()),
    "progress": lambda: both(lambda: wmill.set_progress(40), lambda: wmill.get_progress()),
    "worker_is_draining": lambda: wmill.worker_is_draining(),
    "flow_user_state": lambda: both(lambda: wmill.set_flow_user_state("k", 1), lambda: wmill.get_flow_user_state("k")),
    "username_to_email": lambda: type(wmill.username_to_email("admin")).__name__,
    "get_id_token": lambda: len(wmill.get_id_token("sts.amazonaws.com").split(".")),
    "get_resume_urls": lambda: sorted(wmill.get_resume_urls("ann")),
    "s3": lambda: written("py/a.txt", b"hello"),
    "load_s3_file_reader": lambda: read_all({"s3": "py/a.txt"}),
    "sign_s3_object": lambda: sorted(wmill.sign_s3_object({"s3": "py/a.txt"})),
    "sign_s3_objects": lambda: [sorted(one) for one in wmill.sign_s3_objects([{"s3": "py/a.txt"}])],
    "presigned": lambda: url_text(wmill.get_presigned_s3_public_url({"s3": "py/a.txt"})),
    "delete_s3_object": lambda: deleted("py/a.txt"),
    "duckdb_connection_settings": lambda: "connection_settings_str" in wmill.duckdb_connection_settings("u/admin/s3"),
    "polars_connection_settings": lambda: sorted(wmill.polars_connection_settings("u/admin/s3")),
    "boto3_connection_settings": lambda: "endpoint_url" in wmill.boto3_connection_settings("u/admin/s3"),
}

def main():
    answers = {}
    for name, call in calls.items():
        try:
            answers[name] = call()
        except Exception as error:
            response = getattr(error, "response", None)
            answers[name] = {"failed": f"{type(error).__name__}: {error}", "body": None if response is None else response.text}
    return json.loads(json.dumps(answers, default=str))
`;

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/child", language: "bash", content: 'name="$1"\necho "hi $name"' });
  await ws.saveScript({ path: "f/t/failing", language: "bash", content: "exit 3" });
  const modules = [{ id: "a", value: { type: "identity" } }];
  expectStatus(await ws.post("flows/create", { path: "f/t/flow", summary: "", value: { modules } }), 201);
  const s3 = {
    bucket: "b",
    region: "us-east-1",
    endPoint: "s3.example.com",
    useSSL: true,
    accessKey: "a",
    secretKey: "b",
    pathStyle: true,
  };
  const db = { host: "h", port: 5432, user: "u", password: "p", dbname: "d", sslmode: "disable" };
  expectStatus(await ws.post("resources/create", { path: "u/admin/s3", resource_type: "s3", value: s3 }), 201);
  expectStatus(await ws.post("resources/create", { path: "u/admin/db", resource_type: "any", value: db }), 201);
});

/** The answers of some helpers. The other helpers must not fail. */
const expected = {
  bun: {
    runScriptByPath: "hi Ada",
    runScriptByHash: "hi Bob",
    runFlow: { x: 4 },
    runFlowAsync: { x: 5 },
    getResult: "hi Eve",
    getResultMaybe: { started: true, completed: true, success: true, result: "hi Eve" },
    getRootJobId: true,
    setVariable: "2",
    setResource: { a: 2 },
    missingResource: null,
    setState: { n: 1 },
    setProgress: 40,
    setFlowUserState: { a: 1 },
    getIdToken: 3,
    getResumeUrls: ["approvalPage", "cancel", "resume"],
    writeS3Blob: "blob",
    getPresignedS3PublicUrl: "hello",
    deleteS3File: "gone",
    step: 7,
    parallel: [2, 4],
  },
  python3: {
    get_version: true,
    run_script_by_path: "hi Ada",
    run_script_by_hash: "hi Bob",
    run_flow_async: { x: 5 },
    get_result: "hi Eve",
    get_root_job_id: true,
    variables: "2",
    resources: { a: 1 },
    missing_resource: null,
    state: { n: 1 },
    progress: 40,
    worker_is_draining: false,
    flow_user_state: 1,
    get_id_token: 3,
    get_resume_urls: ["approvalPage", "cancel", "resume"],
    load_s3_file_reader: "hello",
    presigned: "hello",
    delete_s3_object: "gone",
  },
};

describe("the clients of the registry", () => {
  it.each([
    ["bun", "windmill-client", typescript],
    ["python3", "wmill", python],
  ] as const)(
    "the helpers of the package in %s work in a step of a flow, and the lock of the script names %s",
    async (language, name, content) => {
      const path = `f/t/all_${language}`;
      const hash = await ws.saveScript({ path, language, content });
      const { lock } = (await ws.get(`scripts/deployment_status/h/${hash}`)).json as { lock: string };
      expect(lock).toContain(name);
      // Links for an approval exist only for a step that asks for one.
      const module = { id: "all", value: { type: "script", path, input_transforms: {} }, suspend: { required_events: 1 } };
      const run = await ws.post("jobs/run/preview_flow", { value: { modules: [module] }, args: {} });
      const answers = await expect
        .poll(async () => (await ws.get(`jobs/result_by_id/${run.text}/all`)).json, { timeout: 60_000, interval: 500 })
        .toMatchObject(expected[language])
        .then(async () => (await ws.get(`jobs/result_by_id/${run.text}/all`)).json as Record<string, { failed?: string } | null>);
      const failed = Object.entries(answers).filter(([, answer]) => answer?.failed !== undefined);
      expect(failed).toEqual([["failure", expect.objectContaining({ failed: expect.stringContaining("ExitError") })]]);
    },
  );
});
