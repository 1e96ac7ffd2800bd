import { describe, expect, it } from "vitest";
import { forgetLink, takeLink } from "./link.ts";

const newStorage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
};
const refuse = () => {
  throw new Error("The storage is disabled.");
};

describe("the link of a chat", () => {
  it("is in the address, survives a sign-in on another page in this tab, and is forgotten once it was used", () => {
    const storage = newStorage();
    expect(takeLink("", storage)).toBeUndefined();
    expect([takeLink("#first", storage), takeLink("", storage), takeLink("second", storage), takeLink("", storage)]).toEqual([
      ...["first", "first"],
      ...["second", "second"],
    ]);
    forgetLink(storage);
    expect(takeLink("", storage)).toBeUndefined();
  });

  it("works in a browser that stores nothing", () => {
    const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
    expect([takeLink("#first", storage), takeLink("", storage)]).toEqual(["first", undefined]);
    forgetLink(storage);
  });
});
