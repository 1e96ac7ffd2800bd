export type { Bundle } from "./compute/bundles/bundle.ts";
export type { SvcSettings } from "./config.ts";
export type { DeploymentOptions, FlowOptions, FolderOptions, ScriptOptions } from "./deployments/options.ts";
export { Svc, type SvcProps } from "./svc.ts";
