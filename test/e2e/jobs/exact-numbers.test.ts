import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { saveFlow } from "../../support/flows/flow.ts";

/**
 * Ids as other services use them. A double represents none of them exactly, so any program that parses them in between would change their text.
 */
const IDS = "[9007199254740993,18446744073709551615,-123456789012345678901234567890]";
/** Requests are text, because the tests would round the numbers themselves. */
const sent = `{"value":${IDS}}`;
const wrapped = `{"a":{"ids":${IDS}}}`;

const scripts = {
  python3: "def main(value):\n    return value",
  go: "package inner\n\nfunc main(value any) any { return value }\n",
  bash: 'value="$1"\necho "$value" > result.json\n',
};

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ...Object.entries(scripts).map(([language, content]) => ws.saveScript({ path: `f/t/${language}`, language, content })),
    ws.saveScript({ path: "f/t/cached", language: "python3", content: scripts.python3, cache_ttl: 600 }),
    ws.saveScript({ path: "f/t/stream", language: "python3", content: "def main(value):\n    yield value" }),
    ws.saveScript({
      path: "f/t/fails",
      language: "python3",
      content:
        "def main(value):\n    error = ValueError('kept')\n    error.svc_status_code = 409\n    error.result = value\n    raise error",
    }),
    ws.saveScript({
      path: "f/t/prepared",
      language: "python3",
      content: "def preprocessor(event):\n    return {'value': event['body']['value']}\ndef main(value):\n    return value",
    }),
    ws.saveScript({ path: "f/t/bun", language: "bun", content: "export const main = (value: number[]) => value[0] === 2 ** 53;" }),
  ]);
});

describe("whole numbers beyond 2^53 - 1", () => {
  it.each(Object.keys(scripts))("pass unchanged from a request to a script in %s and from its result to the readers", async (language) => {
    const answer = expectStatus(await ws.runWait(`f/t/${language}`, sent), 200);
    expect(answer.text).toBe(IDS);
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect((await ws.get(`jobs_u/get/${id}`)).text).toContain(`"args":{"value":${IDS}}`);
    expect((await ws.get(`jobs_u/completed/get/${id}`)).text).toContain(`"result":${IDS}`);
    expect((await ws.get(`jobs_u/completed/get_result/${id}`)).text).toBe(IDS);
    const queued = await ws.run(`f/t/${language}`, `{"value":${wrapped}}`);
    await ws.completed(queued);
    expect((await ws.get(`jobs_u/completed/get_result/${queued}`)).text).toBe(wrapped);
  });

  it("are doubles in a JavaScript script, and unchanged in the job's arguments", async () => {
    const answer = expectStatus(await ws.runWait("f/t/bun", sent), 200);
    expect(answer.json).toBe(true);
    expect((await ws.get(`jobs_u/get/${answer.headers.get("x-svc-job-id")}`)).text).toContain(`"args":{"value":${IDS}}`);
  });

  it("distinguish the entries of the cache", async () => {
    const first = expectStatus(await ws.runWait("f/t/cached", sent), 200);
    const again = expectStatus(await ws.runWait("f/t/cached", sent), 200);
    expect([first.text, again.text, again.headers.get("x-svc-cached")]).toEqual([IDS, IDS, "true"]);
    const near = IDS.replace("740993", "740992");
    const other = expectStatus(await ws.runWait("f/t/cached", `{"value":${near}}`), 200);
    expect([other.text, other.headers.get("x-svc-cached")]).toEqual([near, null]);
  });

  it("pass through streams, replies of errors, preprocessors, resources and filters of lists", async () => {
    const { text } = expectStatus(await ws.post("jobs/run_and_stream/p/f/t/stream", sent), 200);
    expect(text).toContain(JSON.stringify(IDS));
    expect(await ws.runWait("f/t/fails", sent)).toMatchObject({ status: 409, text: IDS });
    expect((await ws.runWait("f/t/prepared", sent)).text).toBe(IDS);
    expectStatus(await ws.post("resources/create", `{"path":"f/t/ids","value":${sent},"resource_type":"any"}`), 201);
    expect((await ws.get("resources/get_value/f/t/ids")).text).toBe(`{"value":${IDS}}`);
    expect((await ws.runWait("f/t/python3", { value: "$res:f/t/ids" })).text).toBe(`{"value":${IDS}}`);
    await ws.runWait("f/t/go", '{"value":[9007199254740995]}');
    const list = async (ids: string) => (await ws.get("jobs/completed/list", { args: `{"value":${ids}}` })).json as unknown[];
    expect([(await list("[9007199254740995]")).length, (await list("[9007199254740996]")).length]).toEqual([1, 0]);
  });

  it("pass from step to step of a flow by a path, and are doubles in other expressions", async () => {
    const step = (id: string, language: string, expr: string) => ({
      id,
      value: { type: "script", path: `f/t/${language}`, input_transforms: { value: { type: "javascript", expr } } },
    });
    await saveFlow(ws, "f/t/flow", [
      step("a", "python3", "flow_input.value"),
      step("b", "go", "results.a"),
      step("c", "bash", "results.b"),
      step("d", "python3", "({ a: { ids: results.c } })"),
      step("e", "python3", "results.c"),
    ]);
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/flow", sent), 200);
    expect(answer.text).toBe(IDS);
    const status = (await ws.get(`jobs_u/get/${answer.headers.get("x-svc-job-id")}`)).text;
    expect(status).toContain(`"args":{"value":${IDS}}`);
  });

  it("are refused with their reason if no language can read them", async () => {
    const long = await ws.runWait("f/t/python3", `{"value":${"9".repeat(5000)}}`);
    expect([long.status, long.text]).toEqual([422, expect.stringContaining("more than 4000 digits")]);
  });
});
