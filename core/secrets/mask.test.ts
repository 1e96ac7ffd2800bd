import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractStream } from "../streams/stream-lines.ts";
import { createMasker } from "./mask.ts";

const masker = (...secrets: string[]) => {
  const made = createMasker(secrets);
  if (!made) throw new Error("there is nothing to mask");
  return made;
};
/** Secrets and other text share no character, so that remains of a secret can be recognised. */
const aSecret = fc
  .string({ unit: fc.constantFrom(...'ABCDEFGH/+"\\ ü\u{1f511}'), minLength: 8, maxLength: 60 })
  .filter((text) => text.trim().length >= 8);
const otherText = fc.string({ unit: fc.constantFrom(..."xyz.\n"), maxLength: 20 });
const json = (text: string) => JSON.stringify(text).slice(1, -1);

const forms: [string, (secret: string) => string][] = [
  ["plain", (secret) => secret],
  ["JSON", json],
  ["JSON in JSON", (secret) => json(json(secret))],
  [
    "JSON in ASCII",
    (secret) => json(secret).replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
  ["a URL", encodeURIComponent],
  ["a URL in lower case", (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
  ["a form", (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
];

describe("a masked text", () => {
  it.each(forms)("keeps its length and contains no secret in the form of %s", (_, form) => {
    fc.assert(
      fc.property(fc.array(aSecret, { minLength: 1, maxLength: 4 }), otherText, otherText, (secrets, before, after) => {
        const text = secrets.map((secret) => before + form(secret) + after).join("");
        const masked = masker(...secrets).text(text);
        expect(masked).toHaveLength(text.length);
        for (const secret of secrets) expect(masked.includes(form(secret))).toBe(false);
        const kept = [...text].filter((char) => "xyz.\n".includes(char)).join("");
        expect([...masked].filter((char) => "xyz.\n".includes(char)).join("")).toBe(kept);
      }),
    );
  });

  it.each(["base64", "base64url"] as const)("contains no secret in %s, wherever the secret is in the encoded text", (encoding) => {
    fc.assert(
      fc.property(
        aSecret.filter((text) => Buffer.byteLength(text) >= 10),
        otherText,
        otherText,
        (secret, before, after) => {
          const text = Buffer.from(before + secret + after).toString(encoding);
          const masked = masker(secret).text(text);
          expect(masked).toHaveLength(text.length);
          expect(Buffer.from(masked.replaceAll("*", "A"), encoding).includes(secret)).toBe(false);
          // No character of the secret remains.
          const first = Math.ceil((Buffer.byteLength(before) * 8) / 6);
          const last = Math.floor((Buffer.byteLength(before + secret) * 8) / 6);
          expect(masked.slice(first, last)).toMatch(/^\*+$/);
        },
      ),
    );
  });

  it("is unchanged if it contains no secret", () => {
    fc.assert(fc.property(fc.string(), (text) => masker("a secret that is nowhere").text(text) === text));
  });

  it("hides secrets that overlap, and each line of those that have several", () => {
    expect(masker("abcdefgh", "efghijkl").text("-abcdefghijkl-")).toBe("-************-");
    expect(masker("aaaaaaaa").text("aaaaaaaaaa")).toBe("**********");
    expect(masker("first line\nsecond line\nx").text("  first line\r\n  second line x")).toBe("  **********\r\n  *********** x");
  });

  it("does not hide secrets shorter than eight characters", () => {
    expect(createMasker(["1234567", ""])).toBeUndefined();
    expect(createMasker([])).toBeUndefined();
    expect(masker("1234567", "12345678").text("1234567 12345678")).toBe("1234567 ********");
  });
});

describe("masked chunks", () => {
  it("contain no secret when they are joined, wherever they were divided", () => {
    fc.assert(
      fc.property(
        aSecret,
        otherText,
        otherText,
        fc.array(fc.integer({ min: 3, max: 30 }), { minLength: 1 }),
        (secret, before, after, sizes) => {
          const text = before + secret + after;
          const { chunk } = masker(secret);
          let joined = "";
          for (let at = 0, index = 0; at < text.length; index += 1) {
            const rest = text.length - at;
            const wanted = sizes[index % sizes.length] ?? 3;
            // A chunk is never shorter than a piece that is masked.
            const size = rest - wanted < 3 ? rest : wanted;
            joined += chunk(text.slice(at, at + size));
            at += size;
          }
          expect(joined).toHaveLength(text.length);
          for (let at = 0; at + 5 <= secret.length; at += 1) expect(joined.includes(secret.slice(at, at + 5))).toBe(false);
          expect(joined.startsWith(before) && joined.endsWith(after)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("contain no secret that a stream yields in pieces, however lines and chunks divide it", () => {
    const sizes = (max: number) => fc.array(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 20 });
    const cut = (text: string, parts: number[], least: number) => {
      const found: string[] = [];
      for (let at = 0; at < text.length; ) {
        const wanted = Math.max(least, parts[found.length % parts.length] ?? least);
        const size = text.length - at - wanted < least ? text.length - at : wanted;
        found.push(text.slice(at, at + size));
        at += size;
      }
      return found;
    };
    const secretOfLetters = fc.string({ unit: fc.constantFrom(..."ABCDEFGHü/"), minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(secretOfLetters, otherText, otherText, sizes(9), sizes(60), (secret, before, after, lines, chunks) => {
        const pieces = cut(before + secret + after, lines, 1);
        const log = pieces.map((piece) => `WM_STREAM: ${piece.replaceAll("\n", "\\n")}\n${piece.length % 3 === 0 ? "zz\n" : ""}`).join("");
        // At a border, fewer than three characters of the stream remain visible, as at a border of the log.
        const joined = cut(
          log,
          chunks.map((size) => size + 30),
          30,
        )
          .map(masker(secret).chunk)
          .join("");
        expect(joined).toHaveLength(log.length);
        const shown = extractStream(joined, true);
        for (let at = 0; at + 5 <= secret.length; at += 1) expect([log, shown.includes(secret.slice(at, at + 5))]).toEqual([log, false]);
      }),
      { numRuns: 500 },
    );
    expect(masker("SECRETSECRET").chunk("WM_STREAM: xSE\nzz\nWM_STREAM: CRETSEC\nWM_STREAM: RETx\n")).toBe(
      "WM_STREAM: x**\nzz\nWM_STREAM: *******\nWM_STREAM: ***x\n",
    );
    expect(masker("SECRET\nSECRET").chunk("WM_STREAM: xSECRET\\nSEC\nWM_STREAM: RETx\n")).toBe(
      "WM_STREAM: x***********\nWM_STREAM: ***x\n",
    );
  });

  it("are unchanged unless they contain part of a secret", () => {
    const { chunk } = masker("SECRETSECRET");
    for (const text of ["", "a", "progress: 50 %\n", "the end SE", "ET begins"]) expect(chunk(text)).toBe(text);
    expect(chunk("the end SECR")).toBe("the end ****");
    expect(chunk("CRET begins")).toBe("**** begins");
    expect(chunk("RETSEC")).toBe("******");
  });

  it("take linear time if a secret is long and repetitive", () => {
    const secret = "ab".repeat(60_000);
    const { chunk } = masker(secret);
    expect(chunk("ab".repeat(10_000))).toBe("*".repeat(20_000));
    expect(chunk("x".repeat(100_000))).toBe("x".repeat(100_000));
  });

  // Quadratic time would be minutes, and the test would run out of time.
  it.each([
    ["of one letter", "a".repeat(256 * 1024), "a"],
    ["that differs at its beginning", `b${"a".repeat(256 * 1024)}`, "a"],
    ["that differs at its end", `${"a".repeat(256 * 1024)}b`, "a"],
    ["of two letters", "ab".repeat(128 * 1024), "ab"],
  ])("take no longer for a secret %s, which its author chose together with the output", (_, secret, part) => {
    const output = part.repeat((1024 * 1024) / part.length);
    const { text, chunk } = masker(secret);
    expect(chunk(output)).toHaveLength(output.length);
    expect(text(`${secret}${output}`).startsWith("*".repeat(secret.length))).toBe(true);
  });
});

describe("a masked value", () => {
  it("is JSON of the same shape, without the secret in strings, keys and numbers", () => {
    const secret = 'quote " and \\ slash';
    const value = { a: [`x ${secret} y`, 1, null, true], [secret]: { n: 1234567890, other: 42 }, ["__proto__"]: "kept" };
    const masked = masker(secret, "1234567890").value(JSON.parse(JSON.stringify(value)));
    expect(masked).toEqual({
      a: [`x ${"*".repeat(secret.length)} y`, 1, null, true],
      ["*".repeat(secret.length)]: { n: "**********", other: 42 },
      ["__proto__"]: "kept",
    });
    fc.assert(
      fc.property(fc.jsonValue(), aSecret, (any, hidden) => {
        const text = JSON.stringify(masker(hidden).value({ any, hidden: [hidden, json(hidden)] }));
        expect(text).not.toContain(json(hidden));
        expect(JSON.parse(text).any).toEqual(JSON.parse(JSON.stringify(masker(hidden).value(any) ?? null)));
      }),
    );
  });
});
