import { describe, expect, it } from "vitest";
import { peopleRoutes } from "./people.ts";

const accepts = (username: string | undefined) =>
  peopleRoutes.overwriteUsers.body.safeParse([{ email: "ann@example.com", super_admin: true, username }]).success;

describe("the usernames of users/overwrite", () => {
  it.each([undefined, "ann", "ann_lee-2"])("may be %j, as those of members", (username) => {
    expect(accepts(username)).toBe(true);
  });

  it.each(["", "a/b", "u/ann", "ann lee", "a\nb", "ann@example.com", "..", "<b>", "a".repeat(51)])("may not be %j", (username) => {
    expect(accepts(username)).toBe(false);
  });
});
