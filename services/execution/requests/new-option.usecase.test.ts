import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root, svcDir } from "../../../engine/paths.ts";

/** The name is that of an abandoned instance, so that the next run removes it if this one is killed. */
const checkout = path.join(svcDir, `test-${process.pid}-901`);
/** The folders from which a run is requested, executed and read. */
const folders = ["aws", "contract", "core", "engine", "functions", "lib", "runners", "services", "statemachines", "test"];

/** Lines that are added after a line of a file. */
type Addition = { file: string; after: string; lines: string };

const row = (name: string, attribute: string, request: string): Addition => ({
  file: "core/jobs/fields.ts",
  after: "export const runFields = {",
  lines: `  ${name}: { stored: "${attribute}", schema: text, seenBy: "readers", json: "${name}", request: { ${request} } },`,
});
const shown = (name: string): Addition => ({
  file: "contract/routes/jobs/job.ts",
  after: "const jobFields = {",
  lines: `  ${name}: z.string().optional(),`,
});
const applied = (name: string): Addition[] => [
  { file: "core/jobs/contextual-variables.ts", after: '    | "workspace"', lines: `    | "${name}"` },
  { file: "core/jobs/contextual-variables.ts", after: "    TOKEN: token,", lines: `    ${name.toUpperCase()}: job.${name} ?? "",` },
];

/** An option that callers set, and one that the author of a script sets. Both are shown, and passed to the script as a variable. */
const options = {
  note: [
    { file: "contract/routes/jobs/runs.ts", after: "export const runQuery = z.object({", lines: "  note: z.string().optional()," },
    row("note", "zn", 'query: "note"'),
    shown("note"),
    ...applied("note"),
  ],
  owner: [
    { file: "contract/routes/stored/script.ts", after: "const settable = {", lines: "  owner: z.string().nullish()," },
    row("owner", "zo", 'script: "owner"'),
    shown("owner"),
    ...applied("owner"),
  ],
} satisfies Record<string, Addition[]>;

function add({ file, after, lines }: Addition): void {
  const source = path.join(checkout, file);
  const [before = "", rest, ...others] = readFileSync(source, "utf8").split(`${after}\n`);
  if (rest === undefined || others.length > 0) throw new Error(`${file} must contain the line once: ${after}`);
  writeFileSync(source, `${before}${after}\n${lines}\n${rest}`);
}

const load = <T>(file: string): Promise<T> => import(path.join(checkout, file));

/** The modules of the copy. */
async function loadCopy() {
  const [{ newWorld }, jobs, { anAdmin }, { payloadQuery }, { newScriptSchema }] = await Promise.all([
    load<typeof import("../../../test/support/use-cases/world.ts")>("test/support/use-cases/world.ts"),
    load<typeof import("../../../test/support/use-cases/world-jobs.ts")>("test/support/use-cases/world-jobs.ts"),
    load<typeof import("../../../test/support/use-cases/world-people.ts")>("test/support/use-cases/world-people.ts"),
    load<typeof import("../../../contract/routes/jobs/runs.ts")>("contract/routes/jobs/runs.ts"),
    load<typeof import("../../../contract/routes/stored/script.ts")>("contract/routes/stored/script.ts"),
  ]);
  const [{ createScript }, { requireNewestScript }, { scriptHeadObject }] = await Promise.all([
    load<typeof import("../../scripts/create.ts")>("services/scripts/create.ts"),
    load<typeof import("../../scripts/load.ts")>("services/scripts/load.ts"),
    load<typeof import("../../../core/scripts/version.ts")>("core/scripts/version.ts"),
  ]);
  const [{ buildVersionRequest }, { startRun }, { loadJobJson }] = await Promise.all([
    load<typeof import("./version-request.ts")>("services/execution/requests/version-request.ts"),
    load<typeof import("./start-run.ts")>("services/execution/requests/start-run.ts"),
    load<typeof import("../../jobs/read/read.ts")>("services/jobs/read/read.ts"),
  ]);
  return {
    ...{ newWorld, ...jobs, anAdmin, payloadQuery, newScriptSchema, createScript, requireNewestScript, scriptHeadObject },
    ...{ buildVersionRequest, startRun, loadJobJson },
  };
}

beforeAll(() => {
  for (const folder of folders) cpSync(path.join(root, folder), path.join(checkout, folder), { recursive: true });
  cpSync(path.join(root, "package.json"), path.join(checkout, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  for (const addition of Object.values(options).flat()) add(addition);
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

it.each(Object.entries(options))("the option %s of a run is added in four files", (_, additions) => {
  expect(new Set(additions.map(({ file }) => file)).size).toBe(4);
});

it("options that a copy of the checkout adds are stored with the job, passed to its runner and shown", async () => {
  const copy = await loadCopy();
  const world = await copy.newWorld();
  await copy.addWorkspace(world);
  world.answers.build = async () => ({ ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "" });
  const script = { path: "u/ann/toy", language: "bun", content: "export const main = () => 1;", summary: "", owner: "the author" };
  await copy.createScript(world.deps, { actor: copy.anAdmin, workspace: world.workspace }, copy.newScriptSchema.parse(script));
  await copy.work(world);

  const head = await world.deps.objects.get(copy.scriptHeadObject.key(world.workspace, script.path));
  const target = { kind: "script" as const, version: copy.requireNewestScript(head, script.path) };
  const payload = { method: "POST", headers: {}, query: {}, bytes: Buffer.from("{}") };
  const call = { actor: copy.anAdmin, query: copy.payloadQuery.parse({ note: "for the runner" }), payload };
  const { id } = await copy.startRun(world.deps, await copy.buildVersionRequest(world.deps, target, call, { includedHeaders: [] }));
  await copy.work(world);

  const job = await world.deps.jobs.get(id);
  if (!job) throw new Error(`The job ${id} is gone.`);
  expect(job).toMatchObject({ state: "succeeded", note: "for the runner", owner: "the author" });
  expect(world.runs.at(-1)?.env).toMatchObject({ WM_NOTE: "for the runner", WM_OWNER: "the author" });
  expect(await copy.loadJobJson(world.deps, job, {})).toMatchObject({ note: "for the runner", owner: "the author" });
});
