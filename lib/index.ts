export type { Bundle } from "./compute/bundle.ts";
export type { SvcSettings } from "./config.ts";
export { Svc, type SvcProps } from "./svc.ts";
