import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";
import { runnerLanguages } from "../../contract/languages.ts";
import { aStack } from "../../lib/stack-fixture.ts";
import { root } from "../paths.ts";
import { containerSettings, localSettings } from "./settings.ts";

const tools = { python: path.join(root, ".svc/venv/bin/python3"), version: "3.11", env: {}, uv: path.join(root, ".svc/venv/bin/uv") };
const url = "http://127.0.0.1:8000";
const internalUrl = "http://localstack:4566/_aws/execute-api/svc/prod";
const machine = process.arch === "arm64" ? "arm64" : "x64";

// The user's own registry settings would change the result, and reading them takes seconds.
for (const name of ["npm_config_registry", "PIP_INDEX_URL", "GOPROXY"]) vi.stubEnv(name, "https://packages.example.com");
const inContainers = aStack({ ...(await containerSettings({ url, internalUrl, tools })) }).template;
const inProcesses = aStack({
  ...(await localSettings({ url, workDir: path.join(root, ".svc/local/work"), tools, go: "/opt/go" })),
}).template;
vi.unstubAllEnvs();

type Variables = Record<string, string>;
const functionsOf = (template: typeof inProcesses) =>
  Object.values(template.findResources("AWS::Lambda::Function")).map(({ Properties }) => ({
    description: String(Properties.Description),
    architectures: Properties.Architectures as string[],
    variables: (Properties.Environment?.Variables ?? {}) as Variables,
  }));
const variablesOf = (template: typeof inProcesses, description: string): Variables => {
  const found = functionsOf(template).find((fn) => fn.description.startsWith(description));
  if (!found) throw new Error(`No function is described as ${description}.`);
  return found.variables;
};

describe("an engine that runs functions in containers", () => {
  it("the engine receives no path of this machine, unlike one that runs functions as processes", () => {
    expect(JSON.stringify(inContainers.toJSON())).not.toContain(root);
    expect(JSON.stringify(inProcesses.toJSON())).toContain(root);
  });

  it("the engine finds every interpreter in the asset or in the runtime of Lambda, and sweeps /tmp", () => {
    for (const description of [...runnerLanguages.map((language) => `svc: runs ${language} scripts`), "svc: resolves dependencies"]) {
      expect(variablesOf(inContainers, description)).toEqual({
        [env.bunPath]: "/var/task/bin/bun",
        SVC_DENO_PATH: "/var/task/bin/deno",
        [env.nodePath]: "/var/lang/bin/node",
        [env.uvPath]: "/var/task/bin/uv",
        [env.tmpMode]: "sweep",
      });
    }
  });

  it("the engine runs and builds for Linux on this machine's processor", () => {
    const architecture = machine === "arm64" ? "arm64" : "x86_64";
    for (const { architectures } of functionsOf(inContainers)) expect(architectures).toEqual([architecture]);
    expect(JSON.parse(variablesOf(inContainers, "svc: runs queued jobs")[env.buildTarget] ?? "")).toEqual({
      os: "linux",
      arch: machine,
      python: "3.14",
      node: "24",
    });
  });

  it("runners use an address that they can reach, and users the front server", () => {
    for (const executor of ["svc: run routes", "svc: runs queued jobs"]) {
      expect(variablesOf(inContainers, executor)).toMatchObject({ [env.internalUrl]: internalUrl, [env.baseUrl]: url });
      expect(variablesOf(inProcesses, executor)).toMatchObject({ [env.internalUrl]: url, [env.baseUrl]: url });
    }
  });

  it("the engine has only resources of the free LocalStack release: no user pool and no dashboard", () => {
    for (const type of [
      "AWS::Cognito::UserPool",
      "AWS::Cognito::UserPoolClient",
      "AWS::CloudWatch::Dashboard",
      "AWS::CloudFront::Distribution",
    ])
      expect(Object.keys(inContainers.findResources(type))).toEqual([]);
    expect(JSON.stringify(inContainers.toJSON())).not.toContain("cognito");
    expect(Object.keys(inProcesses.findResources("AWS::Cognito::UserPool"))).toHaveLength(1);
  });
});

describe("both local engines", () => {
  it("the id of the API comes from a tag, so that its address is known before the deployment", () => {
    for (const template of [inContainers, inProcesses]) {
      const [api] = Object.values(template.findResources("AWS::ApiGateway::RestApi"));
      expect(api?.Properties.Tags).toEqual(
        expect.arrayContaining([
          { Key: "ms-custom-id", Value: "svc" },
          { Key: "_custom_id_", Value: "svc" },
        ]),
      );
    }
  });

  it("a local stack has no alarms", () => {
    for (const template of [inContainers, inProcesses]) expect(Object.keys(template.findResources("AWS::CloudWatch::Alarm"))).toEqual([]);
  });
});
