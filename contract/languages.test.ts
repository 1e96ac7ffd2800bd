import { describe, expect, it } from "vitest";
import { findManifest, runnableLanguages, scriptLanguageSchema, scriptLanguages } from "./languages.ts";
import { routes } from "./routes/routes.ts";

describe("the languages", () => {
  it("are runnable exactly if a runner has their name", () => {
    expect(scriptLanguages.filter((language) => findManifest(language))).toEqual(runnableLanguages);
  });

  it("that are unknown are refused with the names of those that the service runs, and of no other", () => {
    const sentence = scriptLanguageSchema.safeParse("cobol").error?.issues[0]?.message ?? "";
    expect(scriptLanguages.filter((language) => new RegExp(`\\b${language}\\b`).test(sentence))).toEqual(runnableLanguages);
  });

  it("that the service does not run are refused by the request that saves a script", () => {
    const issuesOf = (body: object) => routes.createScript.body?.safeParse(body).error?.issues ?? [];
    expect(issuesOf({ path: "f/a/b", summary: "", content: "", language: "cobol" }).map(({ message }) => message)).toEqual([
      "must be one of the languages that this service runs: bash, bun, bunnative, deno, go, nodejs, nativets, python3",
    ]);
  });
});
