import { describe, expect, it } from "vitest";
import { LogBuffer } from "./log-buffer.ts";

describe("LogBuffer", () => {
  it("the buffer joins characters that chunks split", () => {
    const log = new LogBuffer(1000);
    const bytes = Buffer.from("a😀é");
    for (const byte of bytes) log.push(Buffer.from([byte]));
    log.end();
    expect(log.peek()).toEqual({ offset: 0, text: "a😀é" });
  });

  it("the buffer counts offsets in UTF-16 units and never splits a surrogate pair", () => {
    const log = new LogBuffer(1000);
    log.push(Buffer.from("a😀b"));
    const first = log.peek(2);
    expect(first).toEqual({ offset: 0, text: "a" });
    log.acknowledge(first);
    expect(log.peek(2)).toEqual({ offset: 1, text: "😀" });
  });

  it("the buffer retains unacknowledged text, and text that arrived in the meantime", () => {
    const log = new LogBuffer(1000);
    log.push(Buffer.from("one"));
    const piece = log.peek();
    log.push(Buffer.from("two"));
    expect(log.peek()).toEqual({ offset: 0, text: "onetwo" });
    log.acknowledge(piece);
    expect(log.peek()).toEqual({ offset: 3, text: "two" });
    expect(log.unsentUnits).toBe(3);
  });

  it("the buffer is cut once at its limit in bytes, between characters", () => {
    const log = new LogBuffer(4);
    log.push(Buffer.from("abé"));
    log.push(Buffer.from("é"));
    log.push(Buffer.from("more"));
    log.end();
    expect(log.peek().text).toBe("abé\n[svc] The log was cut here: it reached the limit of 0 MB.\n");
    const tight = new LogBuffer(3);
    tight.push(Buffer.from("abé"));
    tight.end();
    expect(tight.peek().text).toMatch(/^ab\n\[svc\]/);
  });

  it("the buffer accepts text of exactly the limit", () => {
    const log = new LogBuffer(3);
    log.push(Buffer.from("abc"));
    log.end();
    expect(log.peek().text).toBe("abc");
  });
});
