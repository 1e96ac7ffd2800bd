import { good, type Steps, whole, work } from "../exchange.ts";

/** A folder with a script that is built. */
export const aScript: Steps = [
  good("createFolder", { json: { name: "t" }, alone: true }),
  good("createScript", {
    json: { path: "f/t/script", summary: "Says when it is done", language: "bash", content: "echo done" },
    keep: { hash: whole },
    alone: true,
  }),
  work,
];
