import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, ListObjectsV2Command, type ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import type { FrontEvent } from "../../../engine/front/front.ts";
import { startFront } from "../../../engine/front/front.ts";
import { liveLine } from "../../../engine/front/live-log.ts";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace, workspaceOf } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { allLogs } from "../../support/engine/logs.ts";
import { processes } from "../../support/engine/processes.ts";
import { until } from "../../support/until.ts";

/** The values that a job must not see. The two variables by which supervisors find their own processes contain no secret. */
const OF_THE_SERVICE = /^(AWS|LAMBDA|SVC_(?!PROCESS_TAG$|RUN$)|_HANDLER|_X_AMZN|MINISTACK|npm_config|PIP_|GOPROXY)/i;

/** A directory is emptied before the next job uses it, and soon in any case. */
const gone = (file: string) => until(() => !existsSync(file), { what: `the end of ${file}` });

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe("tokens and query strings", () => {
  const planted = `planted${randomUUID().replaceAll("-", "")}`;
  const events: FrontEvent[] = [];
  let tokens: string[];

  beforeAll(async () => {
    const { text: token } = expectStatus(await api().post("users/tokens/create", { label: "planted" }), 201);
    // The front server of `npm run up`, with its live log, before the same API.
    const front = await startFront({ port: 0, target: () => new URL(shared().url), onRequest: (event) => events.push(event) });
    try {
      const client = api({ url: front.url, token });
      const own = workspaceOf(client, ws.id);
      await own.saveScript({
        path: "f/t/own_token",
        language: "python3",
        content: `import os, urllib.request, urllib.error
def main(fail: bool = False):
    url = os.environ["BASE_INTERNAL_URL"] + "/api/users/whoami?token=" + os.environ["OV_TOKEN"] + "&q=${planted}"
    urllib.request.urlopen(url).read()
    if fail:
        raise ValueError("failed on purpose")
    return os.environ["OV_TOKEN"][-12:]
`,
      });
      const query = { q: planted, token };
      const answers = [
        await own.runWait("f/t/own_token", {}, query),
        await own.runWait("f/t/own_token", { fail: true }, query),
        await own.runWait("f/t/nothing", {}, query),
        await client.call("GET", "users/whoami", { token: "", query }),
        await client.call("GET", "users/whoami", { token: "", headers: { cookie: `token=${token}` }, query: { q: planted } }),
        await client.call("GET", "users/whoami", { token: `${planted}.${planted}.${planted}` }),
        await client.call("GET", "users/whoami", { token: "", query: { token: planted } }),
        // The complete value in the place of its prefix.
        await client.call("DELETE", `users/tokens/delete/${planted}`),
        await own.get("jobs/list", { ...query, per_page: "not a number" }),
        await own.call("POST", "scripts/create", { body: "{", query }),
        await own.call("DELETE", "scripts/list", { query }),
        await client.get(`nothing/here`, query),
      ];
      for (const { text } of answers) expect(text).not.toContain(planted);
      const job = await own.run("f/t/own_token", {}, query);
      await own.completed(job);
      // A run of some seconds sends heartbeats and a report with its own token.
      await own.saveScript({ path: "f/t/beating", language: "bash", content: "echo begun; sleep 6; echo ended" });
      await own.completed(await own.run("f/t/beating", {}, query));
      tokens = [token, planted, createHash("sha256").update(token).digest("base64")];
    } finally {
      await front.close();
    }
  });

  it("no log of any function contains them", async () => {
    const logs = await allLogs();
    const text = [...logs.values()].join("\n");
    // The logs exist and include the functions that handled the secrets.
    expect([...logs.keys()].some((name) => /run/i.test(name))).toBe(true);
    expect(text).toContain('"route":"jobs.runWait.scripts"');
    for (const secret of tokens) expect(text.includes(secret)).toBe(false);
    expect(text).not.toMatch(/[?&]token=/);
    expect(text).not.toMatch(/Bearer [A-Za-z0-9]/);
    // A job's token is three parts of base64.
    expect(text).not.toMatch(/eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/);
  });

  it("the engine log does not contain them", () => {
    const text = readFileSync(shared().engineLog, "utf8");
    for (const secret of tokens) expect(text.includes(secret)).toBe(false);
    expect(text).not.toMatch(/eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/);
  });

  it("no item of any table contains them", async () => {
    const { dynamodb } = awsClients();
    for (const table of [shared().outputs["JobsTable"], shared().outputs["ObjectsTable"]]) {
      const items: NonNullable<ScanCommandOutput["Items"]> = [];
      let ExclusiveStartKey: ScanCommandOutput["LastEvaluatedKey"];
      do {
        const page: ScanCommandOutput = await dynamodb.send(new ScanCommand({ TableName: table, ExclusiveStartKey }));
        items.push(...(page.Items ?? []));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      expect(items.length).toBeGreaterThan(3);
      // Scripts of other tests print their own environment, with their job's token in it.
      const theirs = new Set(items.filter(({ sk, ws: of }) => sk?.S === "job" && of?.S !== ws.id).map(({ pk }) => pk?.S));
      for (const item of items) {
        // The source of the script contains its own secret.
        const text = JSON.stringify(item).replaceAll(`"&q=${planted}\\\\"`, "").replaceAll(`&q=${planted}`, "");
        for (const secret of tokens.slice(0, 2))
          expect([item["pk"], item["sk"], text.includes(secret)]).toEqual([item["pk"], item["sk"], false]);
        if (!theirs.has(item["pk"]?.S)) expect(text).not.toMatch(/eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/);
      }
    }
  });

  it("no object of the bucket contains them", async () => {
    const { s3 } = awsClients();
    const Bucket = shared().outputs["Bucket"];
    let ContinuationToken: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await s3.send(
        new ListObjectsV2Command({ Bucket, Prefix: `jobs/${ws.id}/`, ContinuationToken }),
      );
      for (const { Key } of page.Contents ?? []) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
        const text = (await Body?.transformToString()) ?? "";
        for (const secret of tokens.slice(0, 2)) expect([Key, text.includes(secret)]).toEqual([Key, false]);
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
  });

  it("the live log of npm run up does not contain them", () => {
    const lines = events.map((event) => liveLine({ ...event, status: 404 }, new Date())).filter((line) => line !== undefined);
    expect(lines.some((line) => line.includes("f/t/own_token"))).toBe(true);
    for (const secret of tokens) expect((lines.join("\n") + JSON.stringify(events)).includes(secret)).toBe(false);
    expect(JSON.stringify(events)).not.toContain("?");
  });
});

describe.each([
  [
    "bun",
    (body: string) =>
      `import * as fs from "node:fs";\nimport { spawn, execSync } from "node:child_process";\nexport async function main(text: string, other: string) {\n${body}\n}`,
  ],
  [
    "nodejs",
    (body: string) =>
      `import * as fs from "node:fs";\nimport { spawn, execSync } from "node:child_process";\nexport async function main(text: string, other: string) {\n${body}\n}`,
  ],
  [
    "deno",
    (body: string) =>
      `import * as fs from "node:fs";\nimport { spawn, execSync } from "node:child_process";\nexport async function main(text: string, other: string) {\n${body}\n}`,
  ],
] as const)("a %s job", (language, program) => {
  const save = (name: string, body: string) => ws.saveScript({ path: `f/t/${name}_${language}`, language, content: program(body) });

  it("the job sees no cloud credentials and no settings of the service", async () => {
    await save("env", "return { ...process.env };");
    const env = (await ws.runWait(`f/t/env_${language}`)).json as Record<string, string>;
    expect(Object.keys(env).filter((name) => OF_THE_SERVICE.test(name))).toEqual([]);
    expect(env["OV_TOKEN"]).toBeTruthy();
  });

  it("the job works in its own empty directory with mode 0700, which is emptied after it", async () => {
    await save(
      "own_dir",
      `const found = fs.readdirSync(".");
fs.writeFileSync("mine", text);
fs.writeFileSync(process.env.HOME + "/home", text);
fs.writeFileSync(process.env.TMPDIR + "/tmp", text);
fs.writeFileSync("/tmp/svc-safety-" + text, text);
const seen = fs.readdirSync("/tmp").filter((name) => name.startsWith("svc-safety-"));
return { found, seen, mode: (fs.statSync(".").mode & 0o777).toString(8), uid: fs.statSync(".").uid === process.getuid!(), cwd: process.cwd(), home: process.env.HOME, tmp: process.env.TMPDIR };`,
    );
    const seen = [];
    for (const text of ["one", "two", "three"]) {
      const result = (await ws.runWait(`f/t/own_dir_${language}`, { text })).json as Record<string, unknown>;
      seen.push(result);
      for (const file of [`${result["cwd"]}/mine`, `${result["home"]}/home`, `${result["tmp"]}/tmp`]) await gone(file);
    }
    for (const [n, result] of seen.entries()) {
      expect(result).toMatchObject({ found: expect.not.arrayContaining(["mine", "home"]), mode: "700", uid: true });
      // Another job's /tmp is visible only if the kernel allows no private one.
      if (privateTmp()) expect(result["seen"]).toEqual([`svc-safety-${["one", "two", "three"][n]}`]);
    }
  });

  it("the job leaves no process behind", async () => {
    await save(
      "daemon",
      `spawn("setsid", ["sh", "-c", "sleep 1000 & exec -a svc-" + text + " sleep 1000"], { detached: true, stdio: "ignore" }).unref();
execSync("(setsid nohup sh -c 'sleep 2000; : " + text + "' >/dev/null 2>&1 &)");
await new Promise((resolve) => setTimeout(resolve, 300));
return execSync("ps -ax -o command=").toString().split("\\n").filter((line) => line.includes(text)).length;`,
    );
    const marker = `marker${randomUUID().slice(0, 8)}`;
    expect((await ws.runWait(`f/t/daemon_${language}`, { text: marker })).json).toBeGreaterThan(0);
    await until(() => !processes().some(({ command }) => command.includes(marker)), { what: `no process of ${marker}` });
  });

  it("the next job sees no globals, module state or environment of this one", async () => {
    await save(
      "state",
      `const g = globalThis;
const before = [g.leak ?? null, process.env.LEAK ?? null, Array.prototype.leak ?? null];
g.leak = text; process.env.LEAK = text; Object.defineProperty(Array.prototype, "leak", { value: text, configurable: true });
return before;`,
    );
    for (const text of ["one", "two", "three"])
      expect((await ws.runWait(`f/t/state_${language}`, { text })).json).toEqual([null, null, null]);
  });
});

/** Whether jobs have a private /tmp, according to the logs of the runners. */
function privateTmp(): boolean {
  return process.platform === "linux" && tmpMode === "private";
}
let tmpMode: string | undefined;
beforeAll(async () => {
  await ws.saveScript({ path: "f/t/probe", language: "bun", content: "export const main = () => 1;" });
  await ws.runWait("f/t/probe");
  for (const text of (await allLogs()).values()) tmpMode ??= /"tmp":"(\w+)"/.exec(text)?.[1];
});

describe("python3 jobs", () => {
  const save = (name: string, body: string) =>
    ws.saveScript({
      path: `f/t/py_${name}`,
      language: "python3",
      content: `import builtins, os, subprocess, sys, time\n\ndef main(text: str = "", other: str = ""):\n${body.replace(/^/gm, "    ")}\n`,
    });

  it("a job sees no cloud credentials and no settings of the service", async () => {
    await save("env", "return dict(os.environ)");
    const env = (await ws.runWait("f/t/py_env")).json as Record<string, string>;
    expect(Object.keys(env).filter((name) => OF_THE_SERVICE.test(name))).toEqual([]);
  });

  it("a job has its own directory, which is emptied after it, and the next job sees no state of it", async () => {
    await save(
      "own",
      `before = [os.listdir("."), getattr(builtins, "leak", None), os.environ.get("LEAK"), [n for n in os.listdir("/tmp") if n.startswith("svc-safety-py")]]
open("mine", "w").write(text)
open("/tmp/svc-safety-py" + text, "w").write(text)
builtins.leak = text
os.environ["LEAK"] = text
sys.modules["json"].leak = text
return before + [oct(os.stat(".").st_mode & 0o777), os.getcwd()]`,
    );
    for (const text of ["one", "two", "three"]) {
      const [listing, leak, env, tmp, mode, cwd] = (await ws.runWait("f/t/py_own", { text })).json as [
        string[],
        null,
        null,
        string[],
        string,
        string,
      ];
      expect([listing.includes("mine"), leak, env, mode]).toEqual([false, null, null, "0o700"]);
      if (privateTmp()) expect(tmp).toEqual([]);
      await gone(`${cwd}/mine`);
    }
  });

  it("a job leaves no process behind", async () => {
    await save(
      "daemon",
      `subprocess.Popen(["sh", "-c", "sleep 3000; : " + text], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sh", ["sh", "-c", "sleep 3000; : twice " + text])
    os._exit(0)
time.sleep(0.3)
return subprocess.run(["ps", "-ax", "-o", "command="], capture_output=True, text=True).stdout.count(text)`,
    );
    const marker = `marker${randomUUID().slice(0, 8)}`;
    expect((await ws.runWait("f/t/py_daemon", { text: marker })).json).toBeGreaterThan(0);
    await until(() => !processes().some(({ command }) => command.includes(marker)), { what: `no process of ${marker}` });
  });
});

describe("go and bash jobs", () => {
  it.each([
    ["bash", 'marker="$1"\nsetsid nohup sh -c "sleep 3000; : $1" >/dev/null 2>&1 &\necho mine > mine\nsleep 0.3\nenv\npwd > result.out'],
    [
      "go",
      `package inner

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

func main(marker string) (string, error) {
	cmd := exec.Command("sh", "-c", "sleep 3000; : "+marker)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	os.WriteFile("mine", []byte("x"), 0o600)
	fmt.Println(strings.Join(os.Environ(), "\\n"))
	return os.Getwd()
}
`,
    ],
  ])("a job in %s sees no credentials, and leaves neither files nor processes behind", async (language, content) => {
    const path = `f/t/leaving_${language}`;
    await ws.saveScript({ path, language, content });
    const marker = `marker${randomUUID().slice(0, 8)}`;
    const job = await ws.completed(await ws.run(path, { marker }));
    expect(job).toMatchObject({ success: true });
    expect(job["logs"]).toContain("OV_WORKSPACE=");
    expect(job["logs"]).not.toMatch(/^(AWS|LAMBDA|_HANDLER|_X_AMZN|MINISTACK)\w*=/m);
    await gone(`${job["result"]}/mine`);
    await until(() => !processes().some(({ command }) => command.includes(marker)), { what: `no process of ${marker}` });
  });
});

describe("job tokens", () => {
  it("a job token has its caller's rights, and expires with its job, for the API and for other jobs", async () => {
    await ws.saveScript({ path: "f/t/token", language: "bash", content: 'echo "$OV_TOKEN" | rev' });
    const token = [...String((await ws.runWait("f/t/token")).json)].reverse().join("");
    for (const route of ["users/whoami", `w/${ws.id}/scripts/list`, `w/${ws.id}/jobs/list`]) {
      const answer = await api().call("GET", route, { token });
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([401, "auth.invalid"]);
    }
    expect((await api().call("POST", `w/${ws.id}/jobs/run/p/f/t/token`, { token, body: {} })).status).toBe(401);
  });

  it("a job token with any changed part is rejected", async () => {
    await ws.saveScript({
      path: "f/t/forge",
      language: "python3",
      content: `import base64, json, os, urllib.request, urllib.error

def call(token):
    request = urllib.request.Request(os.environ["BASE_INTERNAL_URL"] + "/api/users/whoami", headers={"Authorization": "Bearer " + token})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code

def b64(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

def main():
    token = os.environ["OV_TOKEN"]
    head, body, sign = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return [call(t) for t in (
        token,
        ".".join([b64({"alg": "none"}), body, ""]),
        ".".join([head, b64({**claims, "exp": 9999999999}), sign]),
        ".".join([head, body, sign[::-1]]),
        ".".join([b64({"alg": "HS256"}), body, sign]),
    )]
`,
    });
    expect((await ws.runWait("f/t/forge")).json).toEqual([200, 401, 401, 401, 401]);
  });
});
