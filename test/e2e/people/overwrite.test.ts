import { describe, expect, it } from "vitest";
import { peopleRoutes as routes } from "../../../contract/routes/people/people.ts";
import { api } from "../../support/api/api.ts";
import { someone } from "../../support/api/people.ts";
import { expectStatus } from "../../support/api/workspace.ts";
import { startTestInstance } from "../../support/engine/instances.ts";

const status = async (answer: Promise<{ status: number }>) => (await answer).status;

describe("users and groups of the instance as lists", () => {
  interface Exported {
    email: string;
    super_admin: boolean;
  }

  it("users and groups are exported and overwritten: missing ones are deleted, new ones are created, and one superadmin always remains", async () => {
    const own = await startTestInstance();
    try {
      const admin = api({ url: own.url, token: own.admin.token });
      const [gone, kept] = [await someone("gone", admin), await someone("kept", admin)];
      const exported = await admin.get("users/export");
      const before = exported.json as Exported[];
      expect(routes.exportUsers.reply.json.parse(before)).toEqual(before);
      expect(exported.text).not.toMatch(/password/i);
      expect(before.map(({ email }) => email)).toEqual([own.admin.email, gone.email, kept.email].sort());
      const made = { email: "made@example.com", super_admin: true, name: "Made" };
      const list = [...before.filter(({ email }) => email !== gone.email), made];
      const without = list.map((user) => ({ ...user, super_admin: false }));
      expect((await admin.post("users/overwrite", without)).headers.get("x-svc-error")).toBe("user.lastAdmin");
      expect(await status(admin.post("users/overwrite", [...list, { ...made, email: "MADE@example.com" }]))).toBe(422);
      expect((await admin.get("users/export")).json).toEqual(before);
      // Repeated and concurrent calls have the same result.
      expectStatus(await admin.post("users/overwrite", list), 200);
      const both = await Promise.all([admin.post("users/overwrite", list), admin.post("users/overwrite", list)]);
      expect(both.map((answer) => answer.status)).toEqual([200, 200]);
      expect(((await admin.get("users/export")).json as Exported[]).map(({ email }) => email)).toEqual(
        [own.admin.email, kept.email, made.email].sort(),
      );
      expect([await status(gone.api.get("users/email")), await status(kept.api.get("users/email"))]).toEqual([401, 200]);

      const groups = [
        { name: "ops", summary: "Operations", emails: [kept.email] },
        { name: "none", emails: [] },
      ];
      expectStatus(await admin.post("groups/overwrite", groups), 200);
      const sorted = [...groups].sort((a, b) => a.name.localeCompare(b.name));
      expect((await admin.get("groups/export")).json).toEqual(sorted);
      const wrong = await admin.post("groups/overwrite", [{ name: "new", emails: ["nobody@example.com"] }]);
      expect([wrong.status, wrong.headers.get("x-svc-error")]).toEqual([404, "user.notFound"]);
      expect((await admin.get("groups/export")).json).toEqual(sorted);
      expectStatus(await admin.post("groups/overwrite", [{ name: "none", emails: [made.email] }]), 200);
      expect((await admin.get("groups/export")).json).toEqual([{ name: "none", emails: [made.email] }]);
      expect(await status(kept.api.get("users/export"))).toBe(403);
      expect(await status(kept.api.post("groups/overwrite", []))).toBe(403);
    } finally {
      await own.stop();
    }
  }, 400_000);
});
