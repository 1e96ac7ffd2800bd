import { describe, expect, it } from "vitest";
import { removeStyles } from "./remove-styles.ts";

describe("removeStyles", () => {
  it.each([
    ['<p class="a" style="color: red" title="b">x</p>', '<p class="a" title="b">x</p>'],
    ["<p style='a'>x</p><b STYLE=a>y</b>", "<p>x</p><b>y</b>"],
    ["a<style>p { color: red }</style >b", "ab"],
    ["a<STYLE media=print>p {}", "a"],
    ["a<b>c</b><style media=print", "a<b>c</b>"],
    ["1 < 2, style = 3", "1 < 2, style = 3"],
  ])("turns %s into %s", (html, clean) => {
    expect(removeStyles(html)).toBe(clean);
  });

  it.each([
    ["tags that are never closed", "<a ".repeat(200_000)],
    ["style elements that are never closed", "<style ".repeat(100_000)],
    ["style elements without an end", `<style>${"</style ".repeat(100_000)}`],
    ["spaces behind the end of a style element", `<style>${"</style".repeat(1000)}${" ".repeat(500_000)}`],
    ["style attributes that are never closed", `<a${" style=\"' style='".repeat(50_000)}>`],
    ["spaces in a style attribute", `<a style${" ".repeat(500_000)}=${" ".repeat(500_000)}>`],
  ])("takes linear time for %s", (_, html) => {
    expect(removeStyles(html).length).toBeLessThanOrEqual(html.length);
  });
});
