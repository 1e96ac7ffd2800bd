import { join } from "node:path";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { bundleAll } from "../lib/compute/bundles/bundle.ts";
import { bundleOnce } from "../lib/compute/bundles/bundle-once.ts";
import { putInterpreters } from "../lib/compute/bundles/interpreters.ts";
import { carriesInterpreters, readConfig } from "../lib/config.ts";
import { SvcStack } from "../lib/svc-stack.ts";

const root = join(import.meta.dirname, "..");
const app = new App();
const config = readConfig(app.node);
const folder = !carriesInterpreters(config) ? "." : config.skipInterpreters ? "checked" : config.local ? "containers" : "aws";
// The local engine and the checks pass a digest of the sources, so that unchanged bundles are reused. A deployment to AWS always bundles again.
const sources = process.env["SVC_SOURCES"];
const bundles = await (sources ? bundleOnce(root, folder, sources) : bundleAll(root, join(root, "dist", folder)));
putInterpreters(root, config, bundles);
new SvcStack(app, "svc", { config, bundles });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
