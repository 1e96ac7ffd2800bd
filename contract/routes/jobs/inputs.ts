import * as z from "zod";
import { anyPath, flag, inWorkspace, jobId, jsonObject, page, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/inputs";
const read = { method: "GET", fn: "jobs", auth: "token", status: 200 } as const;
const change = { ...read, method: "POST" } as const;
/** The callers who may run a script or flow may use its inputs. The query or the stored input names it. */
const runnable = { domain: "jobs", need: "run", target: "request", personal: true } as const;

const runnableQuery = z.object({
  runnable_id: anyPath.describe("The path of the script or flow, or the hash of a version of the script."),
  runnable_type: z.enum(["ScriptHash", "ScriptPath", "FlowPath"]),
});
export type RunnableQuery = z.output<typeof runnableQuery>;
const argsFilter = { args: z.string().optional().describe("JSON: only inputs with these arguments.") };
const inputSchema = z.object({
  id: jobId,
  name: z.string(),
  created_by: z.string(),
  created_at: timestamp,
  is_public: z.boolean(),
  success: z.boolean().optional(),
});
export type InputJson = z.output<typeof inputSchema>;
const name = z.string().min(1).max(200);
const runnableErrors = ["script.notFound", "script.versionNotFound", "flow.notFound"] as const;
const atInput = inWorkspace.extend({ id: jobId });

/** Saved inputs of scripts and flows, and the arguments of their earlier runs (api.md §8). */
export const inputRoutes = {
  inputHistory: defineRoute({
    ...read,
    name: "inputs.history",
    summary: "List the earlier runs of a script or flow that you may see and whose arguments can be used again, newest first.",
    path: `${w}/history`,
    access: { ...runnable, verb: "read" },
    params: inWorkspace,
    query: runnableQuery.extend({
      ...page,
      ...argsFilter,
      cursor: z.string().max(200).optional(),
      include_preview: flag.optional().describe("Also list previews at this path."),
    }),
    reply: { json: z.array(inputSchema) },
    errors: runnableErrors,
  }),
  listInputs: defineRoute({
    ...read,
    name: "inputs.list",
    summary: "List the saved inputs of a script or flow, newest first: your own, and those that their creators have made public.",
    path: `${w}/list`,
    access: { ...runnable, verb: "read" },
    params: inWorkspace,
    query: runnableQuery.extend(page),
    reply: { json: z.array(inputSchema) },
    errors: runnableErrors,
  }),
  createInput: defineRoute({
    ...change,
    status: 201,
    name: "inputs.create",
    summary: "Save arguments of a script or flow for yourself. Values that its schema marks as secrets are left out.",
    path: `${w}/create`,
    access: { ...runnable, verb: "write" },
    audits: { kind: "Created", resource: { query: "runnable_id" } },
    params: inWorkspace,
    query: runnableQuery,
    body: z.object({ name, args: jsonObject }),
    reply: { text: "The id of the saved input." },
    errors: [...runnableErrors, "input.tooMany", "body.tooLarge", "reference.refused"],
  }),
  updateInput: defineRoute({
    ...change,
    name: "inputs.update",
    summary: "Rename your saved input, or show it to everyone who may run the script or flow.",
    path: `${w}/update`,
    access: { ...runnable, verb: "write" },
    audits: { kind: "Updated", resource: { body: "id" } },
    params: inWorkspace,
    body: z.object({ id: jobId, name, is_public: z.boolean() }),
    reply: { text: "The id of the saved input." },
    errors: ["input.notFound", "write.collided"],
  }),
  deleteInput: defineRoute({
    ...change,
    name: "inputs.delete",
    summary: "Delete your saved input, or as an admin a public one.",
    path: `${w}/delete/{id}`,
    access: { ...runnable, verb: "write" },
    audits: { kind: "Delete", resource: { param: "id" } },
    params: atInput,
    reply: { text: "A confirmation." },
    errors: ["input.notFound", "write.collided"],
  }),
  getInputArgs: defineRoute({
    ...read,
    name: "inputs.getArgs",
    summary: "Get the arguments of an earlier run or, with `input`, of a saved input, without the values that a schema marks as secrets.",
    path: `${w}/{id}/args`,
    access: { ...runnable, verb: "read" },
    params: atInput,
    query: z.object({
      input: flag.optional(),
      allow_large: flag.optional().describe("Has no effect: arguments of any size are returned."),
    }),
    reply: { json: jsonObject },
    errors: ["input.notFound", "job.notFound"],
  }),
};
