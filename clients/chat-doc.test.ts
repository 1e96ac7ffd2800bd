import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { flowValueSchema } from "../contract/flows/flow-value-schema.ts";
import { parseChatCredential } from "../core/chats/chat-credential.ts";
import { root } from "../engine/paths.ts";
import { type Recorder, startRecorder } from "../test/support/clients/recorder.ts";
import { blocksOf } from "../test/support/docs/pages.ts";
import { goTestEnv } from "../test/support/engine/go-cache.ts";
import { goPath, pythonPath } from "../test/support/programs.ts";

// A cold Go compiler on a shared machine.
vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const PAGE = "docs/chat.md";
const folder = mkdtempSync(join(root, ".svc/chat-doc-"));
let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
beforeEach(() => {
  recorder.requests.length = 0;
});
afterAll(async () => {
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
type Program = { command: [string, ...string[]]; env?: Record<string, string> };

/** The scripts of the page, as programs that call them with the version 1.4. */
const programs: Readonly<Record<string, (script: string) => Program>> = {
  ts: (script) => {
    const client = join(root, "clients/typescript/src/index.ts");
    const source = script.replace('"svc-client"', JSON.stringify(client));
    return { command: [process.execPath, write("main.ts", `${source}\nawait main("1.4");\n`)] };
  },
  python: (script) => ({
    command: [pythonPath(), write("main.py", `${script}\nmain("1.4")\n`)],
    env: { PYTHONPATH: join(root, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" },
  }),
  go: (script) => {
    const source = script
      .replace("package inner", "package main")
      .replace('svc "svc-client"', '"os"\n\tsvc "svc.invalid/client"')
      .replace("func main(version string)", "func ask(version string)");
    write("main.go", `${source}\nfunc main() {\n\tif _, err := ask("1.4"); err != nil {\n\t\tfmt.Println(err)\n\t\tos.Exit(1)\n\t}\n}\n`);
    const replaced = `replace svc.invalid/client => ${join(root, "clients/go")}`;
    write("go.mod", `module example\n\ngo 1.21\n\nrequire svc.invalid/client v0.0.0\n\n${replaced}\n`);
    return { command: [goPath(), "run", "."], env: goTestEnv };
  },
};

/** Runs a script of the page, and returns the requests that it has sent. */
async function run(language: string, index: number, replies: number) {
  const { command, env } = programs[language]?.(blocksOf(PAGE, language)[index] ?? "") ?? { command: [""] };
  recorder.replies.push(...Array.from({ length: replies }, () => ({ body: "The message is posted." })));
  const [file, ...args] = command;
  const job = { WM_TOKEN: "t", WM_WORKSPACE: "demo", WM_JOB_ID: "job-1", WM_FLOW_STEP_ID: "a", BASE_INTERNAL_URL: recorder.url };
  await promisify(execFile)(file, args, { cwd: folder, env: { ...process.env, ...env, ...job } });
  return recorder.requests.map(({ path, query, body }) => ({ path, query, body: body === "" ? undefined : (JSON.parse(body) as unknown) }));
}

describe.each(Object.keys(programs))("the script of docs/chat.md in %s", (language) => {
  it("posts a message into each of its two channels", async () => {
    const common = { slack_resource_path: "f/ops/slack", flow_step_id: "a", message: "Deploy 1.4?", approver: "release" };
    expect(await run(language, 0, 2)).toEqual(
      ["C0123456789", "C0987654321"].map((channel_id) => ({
        path: "/api/w/demo/jobs/slack_approval/job-1",
        query: { ...common, channel_id },
      })),
    );
  });

  it("posts messages to Discord and to Teams", async () => {
    const common = { flow_step_id: "a", message: "Deploy 1.4?" };
    expect(await run(language, 1, 3)).toEqual([
      {
        path: "/api/w/demo/jobs/discord_approval/job-1",
        query: {},
        body: { ...common, discord_resource_path: "f/ops/discord", channel_id: "1234567890123456789" },
      },
      {
        path: "/api/w/demo/jobs/teams_approval/job-1",
        query: { ...common, team_name: "Operations", channel_name: "Releases" },
      },
      { path: "/api/teams/activities", query: {}, body: { conversation_id: "19:abc@thread.tacv2", text: "Deploy 1.4?" } },
    ]);
  });
});

describe("the JSON of docs/chat.md", () => {
  const [slack = "", gate = "", teams = "", discord = ""] = blocksOf(PAGE, "json");

  it.each([
    ["slack", slack],
    ["ms_teams_bot", teams],
    ["discord", discord],
  ] as const)("contains a resource of type %s that the service can use", (type, json) => {
    const value = JSON.parse(json) as object;
    expect(parseChatCredential(type, value)).toEqual({ type, ...value });
  });

  it("contains a ConsentGate that can be saved", () => {
    expect(flowValueSchema.safeParse({ modules: [JSON.parse(gate)] })).toMatchObject({ success: true });
  });
});
