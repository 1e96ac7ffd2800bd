import { describe, expect, it } from "vitest";
import { people } from "./people.ts";

describe("a deployment without a user pool", () => {
  it("a stack without a user pool has no sign-in with a password and sets no password", async () => {
    expect(people.hasPasswords()).toBe(false);
    const refusal = expect.objectContaining({ code: "login.noPasswords" });
    await expect(people.checkPassword("ada@example.com", "one that is right")).rejects.toEqual(refusal);
    await expect(people.ensureUser("ada@example.com", "one to be set")).rejects.toEqual(refusal);
  });

  it("users without an account are deleted", async () => {
    await expect(people.deleteUser("ada@example.com")).resolves.toBeUndefined();
  });
});
