import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { until } from "../../support/until.ts";

/** The same small program in every language: adds, prints to both outputs, fails when asked to. */
const programs = {
  bun: `export async function main(a: number, b = 2) {
  console.log("out " + a);
  console.error("err " + b);
  if (a < 0) throw new RangeError("a must not be negative");
  return { sum: a + b };
}`,
  deno: `export function main(a: number, b = 2) {
  console.log("out " + a);
  console.error("err " + b);
  if (a < 0) throw new RangeError("a must not be negative");
  return { sum: a + b };
}`,
  nodejs: `export async function main(a: number, b = 2) {
  console.log("out " + a);
  console.error("err " + b);
  if (a < 0) throw new RangeError("a must not be negative");
  return { sum: a + b };
}`,
  python3: `import sys

def main(a: int, b: int = 2):
    print("out", a)
    print("err", b, file=sys.stderr)
    if a < 0:
        raise ValueError("a must not be negative")
    return {"sum": a + b}
`,
  go: `package inner

import (
	"errors"
	"fmt"
	"os"
)

func main(a int, b *int) (interface{}, error) {
	two := 2
	if b == nil {
		b = &two
	}
	fmt.Println("out", a)
	fmt.Fprintln(os.Stderr, "err", *b)
	if a < 0 {
		return nil, errors.New("a must not be negative")
	}
	return map[string]int{"sum": a + *b}, nil
}
`,
  bash: `a="$1"
b="\${2:-2}"
echo "out $a"
echo "err $b" >&2
if [ "$a" -lt 0 ]; then echo "a must not be negative" >&2; exit 3; fi
echo "{\\"sum\\": $((a + b))}" > result.json
`,
} as const;

/** Names that existing scripts carry: their programs run on bun and node. */
const otherNames = { bunnative: programs.bun, nativets: programs.nodejs };

describe.each(Object.entries({ ...programs, ...otherNames }))("a %s script", (language, content) => {
  let ws: Workspace;
  const path = `f/t/add_${language}`;
  beforeAll(async () => {
    ws = await newWorkspace();
    await ws.saveScript({ path, content, language });
  });

  it("the script runs synchronously with arguments by name and the defaults of its language", async () => {
    const answer = await ws.runWait(path, { a: 40 });
    expect(answer.text).toBe('{"sum":42}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("x-svc-job-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ws.runWait(path, { b: 1, a: 1 })).json).toEqual({ sum: 2 });
  });

  it("the script runs asynchronously; status, result and log can be read", async () => {
    const id = await ws.run(path, { a: 3, b: 4 });
    const job = await ws.completed(id);
    expect(job).toMatchObject({
      type: "CompletedJob",
      id,
      success: true,
      result: { sum: 7 },
      args: { a: 3, b: 4 },
      language,
      script_path: path,
    });
    expect((await ws.get(`jobs_u/completed/get_result/${id}`)).json).toEqual({ sum: 7 });
    expect((await ws.get(`jobs_u/get_logs/${id}`)).text).toBe("out 3\nerr 4\n");
  });

  it("the script fails with its own error and message, and the status is 200", async () => {
    const answer = await ws.runWait(path, { a: -1 });
    expect(answer.status).toBe(200);
    const { error } = answer.json as { error: { name: string; message: string } };
    expect(error.name).toBeTruthy();
    expect(JSON.stringify(error) + (await ws.get(`jobs_u/get_logs/${answer.headers.get("x-svc-job-id")}`)).text).toContain(
      "a must not be negative",
    );
  });
});

describe("versions", () => {
  let ws: Workspace;
  beforeAll(async () => {
    ws = await newWorkspace();
  });

  it("p/ is always the newest version, and h/ is always the same one", async () => {
    const path = "f/t/versions";
    const first = await ws.saveScript({ path, language: "bash", content: "echo one" });
    const second = await ws.saveScript({ path, language: "bash", content: "echo two" });
    expect(first).not.toBe(second);
    expect((await ws.runWait(path)).json).toBe("two");
    expect((await ws.post(`jobs/run_wait_result/h/${first}`, {})).json).toBe("one");
    const job = (await ws.post(`jobs/run/h/${first}`, {})).text;
    expect(await ws.completed(job)).toMatchObject({ result: "one", script_hash: first });
    await ws.post(`scripts/archive/p/${path}`);
    expect((await ws.runWait(path)).status).toBe(404);
    expect((await ws.post(`jobs/run_wait_result/h/${first}`, {})).json).toBe("one");
  });

  it("p/ selects a new version at once: its jobs wait for the build", async () => {
    const path = "f/t/waiting";
    await ws.saveScript({ path, language: "bun", content: "export const main = () => 'old'" });
    await ws.saveScript({ path, language: "bun", content: "export const main = () => 'new'" }, false);
    const [queued, waited] = await Promise.all([ws.run(path), ws.runWait(path)]);
    expect(waited.json).toBe("new");
    expect((await ws.completed(queued))["result"]).toBe("new");
  });
});

describe("previews", () => {
  it("previews run code that is not stored, asynchronously and synchronously", async () => {
    const ws = await newWorkspace();
    const preview = { content: "export const main = (x: number) => x * 2", language: "bun", args: { x: 21 } };
    const waited = await ws.post("jobs/run_wait_result/preview", preview);
    expect(waited.text).toBe("42");
    const { text: id } = await ws.post("jobs/run/preview", preview);
    expect(await ws.completed(id)).toMatchObject({ job_kind: "preview", result: 42, raw_code: preview.content });
  });
});

describe("run queries", () => {
  let ws: Workspace;
  const path = "f/t/echo";
  beforeAll(async () => {
    ws = await newWorkspace();
    await ws.saveScript({ path, language: "bash", content: "echo done" });
  });

  it("job_id sets the id of the job, once", async () => {
    const id = randomUUID();
    expect(await ws.run(path, {}, { job_id: id })).toBe(id);
    const again = await ws.post(`jobs/run/p/${path}`, {}, { job_id: id });
    expect(again.status).toBe(400);
    expect(again.text).toContain(id);
    expect((await ws.completed(id))["result"]).toBe("done");
    expect((await ws.runWait(path, {}, { job_id: id })).status).toBe(400);
  });

  it("parent_job and tag are stored, and a person's root_job is ignored", async () => {
    const parent = await ws.run(path);
    const id = await ws.run(path, {}, { parent_job: parent, root_job: parent, tag: "special" });
    const job = await ws.completed(id);
    expect(job).toMatchObject({ parent_job: parent, tag: "special" });
    expect(job).not.toHaveProperty("root_job");
    expect((await ws.get(`jobs_u/get_root_job_id/${id}`)).json).toBe(parent);
    expect((await ws.get("jobs/list", { parent_job: parent })).json).toMatchObject([{ id }]);
  });

  it("scheduled_in_secs delays a job", async () => {
    const id = await ws.run(path, {}, { scheduled_in_secs: 3 });
    const waiting = (await ws.get(`jobs_u/get/${id}`)).json as { running: boolean; scheduled_for: string; created_at: string };
    expect(waiting.running).toBe(false);
    expect(Date.parse(waiting.scheduled_for) - Date.parse(waiting.created_at)).toBe(3000);
    const done = await ws.completed(id);
    expect(Date.parse(String(done["started_at"]))).toBeGreaterThanOrEqual(Date.parse(waiting.scheduled_for));
  });

  it("a delay beyond 360 days is rejected with the reason", async () => {
    const answer = await ws.post(`jobs/run/p/${path}`, {}, { scheduled_in_secs: 360 * 24 * 3600 + 1 });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("scheduled_in_secs")]);
  });
});

describe("the environment of a job", () => {
  it("the environment contains the contextual variables in both spellings, no cloud credentials, and a token with the caller's rights that ends with the job", async () => {
    const ws = await newWorkspace();
    const path = "f/t/environment";
    await ws.saveScript({
      path,
      language: "python3",
      content: `import json, os, urllib.request
def main():
    request = urllib.request.Request(os.environ["BASE_INTERNAL_URL"] + "/api/users/whoami", headers={"Authorization": "Bearer " + os.environ["OV_TOKEN"]})
    with urllib.request.urlopen(request) as reply:
        return {"env": dict(os.environ), "me": json.load(reply)["email"], "reversed": os.environ["OV_TOKEN"][::-1]}
`,
    });
    const { json } = await ws.runWait(path);
    const { env, me, reversed } = json as { env: Record<string, string>; me: string; reversed: string };
    expect(me).toBe("admin@example.com");
    expect([env["OV_TOKEN"], env["WM_TOKEN"]]).toEqual([expect.stringMatching(/^\*+$/), expect.stringMatching(/^\*+$/)]);
    expect(env).toMatchObject({
      OV_WORKSPACE: ws.id,
      WM_WORKSPACE: ws.id,
      WM_JOB_PATH: path,
      OV_JOB_ID: env["WM_JOB_ID"],
      OV_ATTEMPT: "1",
    });
    expect(Object.keys(env).filter((name) => /^AWS_|SECRET|^SVC_(?!RUN$)/.test(name))).toEqual([]);
    const late = await api().call("GET", "users/whoami", { token: [...reversed].reverse().join("") });
    expect([late.status, late.headers.get("x-svc-error")]).toEqual([401, "auth.invalid"]);
  });
});

describe("many jobs", () => {
  it("60 jobs that are queued at once have 60 results, none lost and none twice", async () => {
    const ws = await newWorkspace();
    const path = "f/t/many";
    await ws.saveScript({ path, language: "bun", content: "export const main = (n: number) => n" });
    // Each call at the same time costs a process of the API: ten at a time still come faster than jobs end.
    const ids: string[] = [];
    while (ids.length < 60) {
      const first = ids.length;
      ids.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => ws.run(path, { n: first + n })))));
    }
    expect(new Set(ids).size).toBe(60);
    await until(async () => ((await ws.get("jobs/queue/count")).json as { database_length: number }).database_length === 0, {
      timeoutMs: 100_000,
      everyMs: 500,
      what: "an empty queue",
    });
    const results = [];
    for (const id of ids) results.push((await ws.get(`jobs_u/completed/get_result/${id}`)).json);
    expect(results).toEqual(ids.map((_, n) => n));
    expect((await ws.get("jobs/completed/count")).json).toEqual({ database_length: 61 });
  });
});
