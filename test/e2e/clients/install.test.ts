import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../engine/paths.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { goTestEnv } from "../../support/engine/go-cache.ts";
import { goPath, pythonPath } from "../../support/programs.ts";

/** The commands that docs/clients.md prints for programs outside of jobs. */
const printed = () => {
  const page = readFileSync(join(root, "docs/clients.md"), "utf8");
  const section = /\n## Outside of jobs\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
};
const commandFor = (tool: string) =>
  printed().find((block) => block.includes(`${tool} `)) ?? `echo no block of the page has ${tool}; exit 1`;

let ws: Workspace;
let dir: string;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.post("variables/create", { path: "f/t/name", value: "Ada", is_secret: false });
  dir = mkdtempSync(join(tmpdir(), "svc-client-install-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Runs shell commands in a folder outside of the checkout, as a reader would. */
async function sh(folder: string, commands: string, env: Record<string, string> = {}): Promise<string> {
  mkdirSync(join(dir, folder), { recursive: true });
  const settings = { SVC_TOKEN: ws.api.token, URL: ws.api.url, WS: ws.id, npm_config_audit: "false", npm_config_fund: "false" };
  const cwd = join(dir, folder);
  return (await promisify(execFile)("bash", ["-euc", commands], { cwd, env: { ...process.env, ...settings, ...env } })).stdout;
}
const write = (folder: string, file: string, text: string) => {
  mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, folder, file), text);
};

const javascript = `import * as svc from "svc-workflow-client";
const { SVC_TOKEN, URL, WS } = process.env;
svc.setClient(SVC_TOKEN, URL, WS);
console.log(await svc.getVariable("f/t/name"));
`;
const python = `import os, svc
svc.set_client(os.environ["SVC_TOKEN"], os.environ["URL"], os.environ["WS"])
print(svc.get_variable("f/t/name"))
`;
const go = `package main

import (
	"fmt"
	"os"

	svc "svc.invalid/client"
)

func main() {
	svc.SetClient(os.Getenv("SVC_TOKEN"), os.Getenv("URL"), os.Getenv("WS"))
	fmt.Println(svc.GetVariable("f/t/name"))
}
`;

describe("a program outside of jobs", () => {
  it("in JavaScript has the client after npm install of the address that the page prints", async () => {
    write("npm", "main.mjs", javascript);
    expect(await sh("npm", `${commandFor("npm")}\nnode main.mjs`)).toMatch(/Ada\n$/);
  });

  it("in Python has the client after pip install of the address that the page prints", async () => {
    write("pip", "main.py", python);
    await sh("pip", `"${pythonPath()}" -m venv venv`);
    const env = { PATH: `${join(dir, "pip/venv/bin")}${delimiter}${process.env["PATH"]}` };
    expect(await sh("pip", `${commandFor("pip")}\npip check\npython main.py`, env)).toMatch(/No broken requirements[\s\S]*Ada\n$/);
  });

  it("in Go has the client after go get with the proxy that the page prints", async () => {
    write("go", "main.go", go);
    const env = {
      ...goTestEnv,
      PATH: `${dirname(goPath())}${delimiter}${process.env["PATH"]}`,
      GOMODCACHE: join(dir, "modules"),
      GOFLAGS: `${goTestEnv.GOFLAGS} -modcacherw`,
    };
    expect(await sh("go", `go mod init example\n${commandFor("go get")}\ngo run .`, env)).toBe("Ada <nil>\n");
  });

  it("in JavaScript has the client of a checkout after npm install of its folder", async () => {
    write("folder", "main.mjs", javascript);
    expect(await sh("folder", `npm install "${join(root, "clients/typescript")}"\nnode main.mjs`)).toMatch(/Ada\n$/);
  });
});

describe("the packages of the clients", () => {
  it.each([
    ["the folder", ""],
    ["a folder in it", "go"],
    ["a module of others, so that Go asks the next proxy", "go/github.com/google/uuid/@v/list"],
    ["a path that leads out of the folder", "..%2fsvc-cli.tgz"],
  ])("are not found at %s", async (_, path) => {
    expect((await fetch(`${ws.api.url}/clients/${path}`)).status).toBe(404);
  });
});

describe("a script", () => {
  it.each([
    ["bun", 'import * as svc from "svc-workflow-client";\nexport const main = () => svc.getVariable("f/t/name");'],
    ["go", 'package inner\n\nimport svc "svc.invalid/client"\n\nfunc main() (string, error) {\n\treturn svc.GetVariable("f/t/name")\n}\n'],
  ])("in %s may import the client by the name of its package, without a lock", async (language, content) => {
    const path = `f/t/own_${language}`;
    const hash = await ws.saveScript({ path, language, content });
    expect((await ws.get(`scripts/deployment_status/h/${hash}`)).json).toMatchObject({ lock: "" });
    expect((await ws.runWait(path)).json).toBe("Ada");
  });
});
