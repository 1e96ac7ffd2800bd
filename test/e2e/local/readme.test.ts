import { expect, it } from "vitest";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { printedBelow, readAloud } from "../../support/docs/reader.ts";

/** A workspace as `npm run up` makes it. */
async function newDemo(): Promise<string> {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  return ws.id;
}

const linesOf = (outputs: readonly string[]) => outputs.join("").split("\n").filter(Boolean);

it("every shell line of the README runs unchanged and returns the result that the text shows", async () => {
  const lines = linesOf(await readAloud(readings.readme, { workspace: await newDemo() }));
  expect(lines[0]).toMatch(/^[0-9a-f]{16}$/);
  expect(lines.slice(1, 3)).toEqual(['{"hello":"Ada"}', '{"hello":"Ada"}']);
  expect(lines.at(-1)).toBe('{"hello":"world"}');
  expect(lines).toContain("greeting Ada");
});

const { webhooks, files, jobs, flows, approvals, consentgate } = readings;
it.each([webhooks, files, jobs, flows, approvals, consentgate])(
  "every shell line of $page runs unchanged and returns the result below it",
  async (reading) => {
    expect(linesOf(await readAloud(reading, { workspace: await newDemo() }))).toEqual(printedBelow(reading));
  },
);

it("the shell lines of docs/handlers.md set the error handler of the workspace", async () => {
  const output = await readAloud(readings.handlers, { workspace: await newDemo() });
  expect(output).toHaveLength(1);
});
