import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "./program.ts";
import { createReference } from "./reference.ts";

const program = createProgram();

/** Lists the commands that do something, with their names. */
const listLeaves = (command: Command, path = ""): [string, Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((inner) => listLeaves(inner, `${path} ${inner.name()}`.trim()));

describe("docs/reference/cli.md", () => {
  it("is the reference that the program prints (vitest -u writes it)", async () => {
    await expect(createReference(program)).toMatchFileSnapshot("../../docs/reference/cli.md");
  });
});

describe("the program", () => {
  it.each(listLeaves(program))("describes %s with a sentence, and each of its options", (_, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
    for (const option of command.options.filter(({ hidden }) => !hidden)) expect(option.description).not.toBe("");
  });
});
