import { setTimeout as sleep } from "node:timers/promises";
import { p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { type Measured, openNew, takeLongestTask, timeOf } from "./visits.ts";

/** The largest log has 5 MB. A line has 100 characters with its line break. */
const LINES = 50_000;
const QUICK_LINES = 500;
const LIVE_LINES = 40;
const QUICK_LIVE_LINES = 3;
const PRINTED_EVERY_MS = 250;
const POLLED_MS = 200;

const printsMany = (lines: number) => `export function main() {
  const text = " of a log that is read in a browser, in which a person searches".padEnd(88, ".");
  const lines = Array.from({ length: ${lines} }, (_, at) => "line " + String(at).padStart(6, "0") + text);
  console.log(lines.join("\\n"));
}`;
/** Waits for its page to be open, then prints the time again and again. */
const printsTimes = (lines: number) => `export async function main() {
  for (let at = 0; at < ${lines}; at++) {
    await new Promise((done) => setTimeout(done, at === 0 ? 5000 : ${PRINTED_EVERY_MS}));
    console.log("printed " + Date.now());
  }
}`;
/** Notes for each line with a time how much later the page shows it. */
const WATCH_LINES = `
  window.seen = new Map();
  const note = () => {
    for (const { textContent } of document.querySelectorAll(".log-text")) {
      const [, printed] = /^printed (\\d+)$/.exec(textContent) ?? [];
      if (printed && !window.seen.has(printed)) window.seen.set(printed, Date.now() - Number(printed));
    }
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

/** Measures the log of a run: a large one, and one that grows. */
export async function logRows(measured: Measured): Promise<Row[]> {
  return [...(await largeLogRows(measured)), ...(await liveLogRows(measured))];
}

async function startScript({ client, target: { workspace } }: Measured, content: string): Promise<string> {
  return (await client.ask.jobs.run.preview({ workspace, body: { language: "bun", content, args: {} } })).text;
}

async function untilEnded({ client, target: { workspace } }: Measured, id: string): Promise<void> {
  for (;;) {
    const { completed } = JSON.parse((await client.ask.jobs.getResultMaybe({ workspace, id })).text) as { completed: boolean };
    if (completed) return;
    await sleep(POLLED_MS);
  }
}

async function largeLogRows(measured: Measured): Promise<Row[]> {
  const lines = measured.quick ? QUICK_LINES : LINES;
  const id = await startScript(measured, printsMany(lines));
  await untilEnded(measured, id);
  const page = await openNew(measured);
  await page.goto(`${measured.target.url}/w/${measured.target.workspace}/runs/${id}?tab=logs`);
  await page.locator(".log-line").first().waitFor();
  const openingTaskMs = await takeLongestTask(page);
  await page.locator(".log").hover();
  for (let at = 0; at < 40; at++) {
    await page.mouse.wheel(0, (lines * 18) / 40);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }
  const searchMs = await timeOf(async () => {
    await page.getByLabel("Search log").pressSequentially(String(lines - 1), { delay: 20 });
    await page.getByText("1 line", { exact: true }).waitFor();
  });
  const line = `a log of ${lines.toLocaleString("en")} lines, ${(lines / 10_000).toFixed(1)} MB`;
  return [
    { line: `${line}: longest task while opening`, value: openingTaskMs, unit: "ms", target: { atMost: 100 } },
    {
      line: `${line}: longest task while scrolling and searching`,
      value: await takeLongestTask(page),
      unit: "ms",
      target: { atMost: 100 },
    },
    { line: `${line}: search, with typing`, value: searchMs, unit: "ms" },
  ];
}

async function liveLogRows(measured: Measured): Promise<Row[]> {
  const lines = measured.quick ? QUICK_LIVE_LINES : LIVE_LINES;
  const page = await openNew(measured);
  const id = await startScript(measured, printsTimes(lines));
  await page.goto(`${measured.target.url}/w/${measured.target.workspace}/runs/${id}?tab=logs`);
  await page.getByLabel("Search log").waitFor();
  await page.evaluate(WATCH_LINES);
  while ((await page.evaluate<number>("window.seen.size")) < lines) await sleep(POLLED_MS);
  const latenesses = await page.evaluate<number[]>("[...window.seen.values()]");
  return [
    {
      line: "from a printed line to its display, p95",
      value: p95(sorted(latenesses)),
      unit: "ms",
      note: `${latenesses.length} lines`,
      target: { atMost: 500 },
    },
  ];
}
