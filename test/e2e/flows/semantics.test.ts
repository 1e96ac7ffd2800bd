import { beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { runFlow } from "../../support/flows/flow.ts";
import { branchRows, failureRows, loopRows, type Row, resultRows, stopRows } from "../../support/flows/semantics-rows.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const ok = { success: true, is_skipped: false };

function rows(name: string, table: Row[]): void {
  const expectRow = async ([, value, args, result, job = ok]: Row) => {
    const found = await runFlow(ws, value, args);
    expect(found["result"]).toEqual(result);
    expect(found).toMatchObject(job);
  };
  describe.concurrent(name, () => {
    it.each(table)("%s", { timeout: 60_000 }, (...row) => expectRow(row));
  });
  const oneAfterTheOther = table.filter(([, value]) => !JSON.stringify(value).includes('"parallel":true'));
  describe.concurrent(`${name}, in one segment`, () => {
    it.each(oneAfterTheOther)("%s", { timeout: 60_000 }, (...row) => {
      const [title, value, ...rest] = row as Row;
      const whole = Array.isArray(value) ? { modules: value } : value;
      return expectRow([title, { ...whole, same_worker: true }, ...rest]);
    });
  });
}

rows("results and names", resultRows);
rows("loops", loopRows);
rows("branches", branchRows);
rows("skip, stop, mock, sleep", stopRows);
rows("retry, failure module, continue on error", failureRows);
