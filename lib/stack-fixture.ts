import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validations } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { getManifest, runnerLanguages } from "../contract/languages.ts";
import { anApp } from "./app-fixture.ts";
import type { Bundle } from "./compute/bundles/bundle.ts";
import { parseConfig } from "./config.ts";
import { SvcStack } from "./svc-stack.ts";

/** Creates the whole stack for tests, with assets of one line each, so that it needs neither the handlers' sources nor a network. */
export function aStack(settings: Record<string, unknown> = {}): { template: Template; findings: string[]; protection: boolean } {
  const app = anApp();
  const stack = new SvcStack(app, "svc", { config: parseConfig(settings, true), bundles: stubBundles() });
  const checks = new AwsSolutionsChecks(app);
  Validations.of(app).addPlugins(checks);
  const template = Template.fromStack(stack);
  const { violations } = checks.validateScope(app);
  return {
    template,
    protection: stack.terminationProtection ?? false,
    findings: violations.map(
      ({ ruleName, violatingResources }) => `${ruleName}: ${violatingResources.map((found) => found.constructPath)}`,
    ),
  };
}

export function stubBundles(): Bundle[] {
  const root = mkdtempSync(join(tmpdir(), "svc-stack-"));
  const functions = [
    "api",
    "beat",
    "build",
    "chat",
    "connect",
    "console",
    "dead-letter",
    "deliver",
    "deploy",
    "remove",
    "flows",
    "housekeeping",
    "jobs",
    "objects",
    "people",
    "receive",
    "run",
    "settle",
    "setup",
    "step",
    "sync",
    "routes",
    "triggers",
    "stream",
    "approve",
    "web",
    "worker",
  ];
  const names = [
    ...functions.map((name) => ({ kind: "functions", name, runtime: "node" }) as const),
    ...runnerLanguages.map((name) => ({ kind: "runners", name, runtime: getManifest(name).function.runtime }) as const),
  ];
  return names.map((bundle) => {
    const directory = join(root, bundle.kind, bundle.name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, bundle.runtime === "python" ? "handler.py" : "index.mjs"), "");
    return { ...bundle, directory };
  });
}
