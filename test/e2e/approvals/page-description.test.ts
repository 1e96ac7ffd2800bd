import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, sees, urls, waiting } from "../../support/approvals/approvals.ts";
import { button, expectQuiet, expectUsable, heading, pageOpener, phone, picture, visited } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);
const opened = pageOpener(() => ws);

describe("descriptions of steps", () => {
  const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const markers = [
    { lat: 48.8566, lon: 2.3522, title: "Paris" },
    { lat: 52.52, lon: 13.405, title: "Berlin" },
  ];

  it.each([
    ["wide and light", { colorScheme: "light" }],
    ["narrow and dark", phone],
  ] as const)(
    "a description shows text, Markdown, HTML, images, tables, a map and JSON on one page, %s, without requests to other servers",
    async (name, options) => {
      const description = {
        render_all: [
          "First a text.",
          { markdown: "## Changes\n\n- **one**\n- [two](https://example.com/two)\n\n| part | size |\n|---|---|\n| core | 3 |" },
          { html: "<p>Some <em>HTML</em></p><img src='https://example.com/track.png' alt='elsewhere'>" },
          { image: `data:image/png;base64,${PNG}` },
          { svg: "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='teal'/></svg>" },
          { image: "https://example.com/far.png" },
          { table: [{ item: "bolts", count: 7 }] },
          {
            "table-row": [
              ["item", "count"],
              ["nuts", 8],
            ],
          },
          { map: { lat: 50, lon: 8, markers } },
          { json: { deep: { er: true } } },
          { unknown: "kind" },
        ],
      };
      const visit = await opened([asks("ask", {}, `(${JSON.stringify({ description })})`, { summary: "Look at this" }), sees()], {
        options,
      });
      const { page } = visit;
      await page.getByRole("heading", { name: "Changes" }).waitFor();
      const map = page.getByRole("img", { name: "Map of Paris, Berlin" });
      await map.waitFor();
      expect(await map.locator("circle").count()).toBe(2);
      for (const text of [
        "First a text.",
        "bolts",
        "nuts",
        "https://example.com/far.png",
        "Berlin: 52.52000° N, 13.40500° E",
        "unknown:",
      ]) {
        await page.getByText(text).first().waitFor();
      }
      expect(await page.getByRole("link", { name: "two" }).getAttribute("rel")).toBe("noopener noreferrer nofollow");
      const drawn = await page
        .locator("img.picture")
        .evaluateAll((images) => images.map((image) => (image as unknown as { naturalWidth: number }).naturalWidth));
      expect(drawn).toEqual([1, 9]);
      await expectUsable(page);
      await picture(page, name.startsWith("wide") ? "everything" : "phone-dark");
      expectQuiet(visit);
    },
  );

  it("code in a description never runs", async () => {
    const bad =
      "<img src=x onerror=\"window.ran='%'\"><script>window.ran='%'</script><svg onload=\"window.ran='%'\"></svg><a href=\"javascript:window.ran='%'\">go</a>";
    const at = (place: string) => bad.replaceAll("%", place);
    const description = {
      render_all: [
        at("text"),
        { markdown: `${at("markdown")}\n\n[go](javascript:window.ran=1) <style>body{display:none}</style>` },
        {
          html: `${at("html")}<iframe srcdoc="<script>parent.ran=1</script>"></iframe><form action="/x"><input autofocus onfocus="window.ran=1"></form><math><mi><script>window.ran=1</script></mi></math>`,
        },
        { svg: "<svg xmlns='http://www.w3.org/2000/svg'><script>window.parent.ran=1</script></svg>" },
        { table: [{ [at("column")]: at("cell") }] },
        { map: { lat: 0, lon: 0, markers: [{ lat: 0, lon: 0, title: at("marker") }] } },
        { json: { [at("key")]: at("value") } },
      ],
    };
    const schema = {
      type: "object",
      properties: { [at("field")]: { type: "string", title: at("title"), description: at("description") } },
    };
    const said = { description, default_args: { [at("field")]: at("default") } };
    await saveFlow(
      ws,
      "f/t/hostile",
      [asks("ask", { inputs: ["x"], resume_form: { schema } }, `(${JSON.stringify(said)})`, { summary: at("summary") }), sees()],
      {
        summary: at("flow"),
      },
    );
    const run = expectStatus(await ws.post("jobs/run/f/f/t/hostile", { x: at("input") }), 201).text;
    const [gate] = await waiting(ws, run);
    const { approvalPage } = await urls(ws, gate?.gate_id ?? "", { approver: at("approver") });
    const visit = await visited(approvalPage);
    const { page } = visit;
    await page.getByRole("textbox").waitFor();
    const links = await page.getByRole("link").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    for (const link of links) expect(link).not.toMatch(/^javascript:/i);
    for (const words of await page.getByText("go", { exact: true }).all()) await words.click({ force: true, noWaitAfter: true });
    expect(await page.locator("script:not([src]), iframe, form[action], body style, [onerror], [onload]").count()).toBe(0);
    await button(page, "Approve").click();
    await heading(page, "Approved").waitFor();
    expect(await page.evaluate("'ran' in window")).toBe(false);
    expectQuiet(visit);
  });
});
