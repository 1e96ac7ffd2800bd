import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../config.ts";
import { stubBundles } from "../stack-fixture.ts";
import { findBundles } from "./assets.ts";
import { writePackage } from "./pack.ts";
import { declareModules } from "./types.ts";

const root = join(import.meta.dirname, "../..");
const example = join(root, "docs/examples/embedding");

interface Template {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs: Record<string, { Value: unknown }>;
}

/** The folder of a user with the app of docs/embedding.md, and the installed package. */
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "svc-embedding-"));
  cpSync(example, home, { recursive: true });
  mkdirSync(join(home, "node_modules"));
  for (const name of ["aws-cdk-lib", "constructs"]) symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name));
  await writePackage(root, join(home, "node_modules/svc"), stubBundles());
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function synthesise(context: Record<string, unknown>): Template {
  const env = { ...process.env, CDK_OUTDIR: join(home, "cdk.out"), CDK_CONTEXT_JSON: JSON.stringify(context), CDK_VALIDATION: "false" };
  execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", "app.ts"], {
    cwd: home,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return JSON.parse(readFileSync(join(home, "cdk.out/Shop.template.json"), "utf8"));
}

describe("the example app", () => {
  it("is synthesised with the installed package: the service with its name, and what the app adds", () => {
    const { Resources, Outputs } = synthesise({ "svc.skipInterpreters": true });
    const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
    expect(ofType("AWS::DynamoDB::Table").map(([id]) => id.replace(/[0-9A-F]{8}$/, ""))).toEqual([
      "AutomationJobsTable",
      "AutomationObjectsTable",
    ]);
    expect(ofType("AWS::CloudFront::Distribution")).toHaveLength(2);
    expect(ofType("AWS::ApiGateway::RestApi").map(([, { Properties }]) => Properties["Name"])).toEqual(["shop"]);
    expect(ofType("AWS::Lambda::Function").flatMap(([, { Properties }]) => Properties["FunctionName"] ?? [])).toEqual(["shop-flows"]);
    expect(Outputs["AutomationUrl"]?.Value).toEqual({
      "Fn::Join": ["", ["https://", { "Fn::GetAtt": [expect.stringMatching(/^AutomationEdge/), "DomainName"] }]],
    });
    expect(Outputs["AutomationSetup"]?.Value).toEqual({ Ref: expect.stringMatching(/^AutomationSetup/) });
    expect(Object.keys(Outputs)).not.toContain("JobsTable");
    expect(ofType("Custom::SvcDeployment").map(([, { Properties }]) => Properties["id"])).toEqual([
      "shop-script-f--orders--count",
      "shop-flow-f--orders--report",
      "shop-Folder",
    ]);
  });

  it("puts interpreters into copies, and leaves the installed package as it is", () => {
    const copies = readdirSync(join(home, ".svc/assets"));
    expect(copies).toEqual([expect.stringMatching(/^[0-9a-f]{16}-arm64-checked$/)]);
    expect(existsSync(join(home, ".svc/assets", copies[0] ?? "", "runners/bun/bin/bun"))).toBe(true);
    expect(existsSync(join(home, "node_modules/svc/assets/runners/bun/bin"))).toBe(false);
    expect(existsSync(join(home, ".svc/assets", copies[0] ?? "", "functions/build/node_modules/esbuild/lib/main.js"))).toBe(true);
  });
});

describe("the package", () => {
  it("contains no TypeScript, which Node.js does not run in node_modules, and uses the CDK of its user", () => {
    const folder = join(home, "node_modules/svc");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.endsWith(".ts"))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(Object.keys(manifest.peerDependencies)).toEqual(["aws-cdk-lib", "constructs"]);
    expect(manifest).not.toHaveProperty("dependencies");
  });

  it("declares its types with those of CDK, and of no other package", () => {
    const modules = declareModules(root);
    const imported = [...modules.values()].flatMap((text) =>
      [...text.matchAll(/(?:from|import\() ?"([^."][^"]*)"/g)].map(([, name = ""]) => name),
    );
    expect(imported.filter((name) => !/^(aws-cdk-lib\/aws-[a-z0-9]+|constructs)$/.test(name))).toEqual([]);
    // A module behind a private field would bring the declarations of the whole service.
    expect([...modules.keys()].sort()).toEqual(["lib/compute/bundles/bundle", "lib/deployments/options", "lib/index", "lib/svc"]);
    expect(modules.get("lib/svc")).toMatch(/addFolder\(folder: string, options: FolderOptions\): void;/);
  });

  it("is required by a service without bundles", () => {
    expect(() => findBundles(parseConfig({}, true))).toThrow("Install the package that npm run package builds");
  });
});
