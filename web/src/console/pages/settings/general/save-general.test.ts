import { expect, it } from "vitest";
import { type GeneralValues, toGeneralValues } from "./general-values.ts";
import { saveGeneral } from "./save-general.ts";

it("a save of a further storage sends the storages alone, with the version that is replaced", async () => {
  const settings = { workspace_id: "demo", name: "Demo" };
  const stored = toGeneralValues(settings);
  const sent: unknown[] = [];
  const answer = async (request: unknown) => {
    sent.push(request);
    return "";
  };
  const calls = {
    ...{ changeName: answer, changeColor: answer, editFailedRuns: answer, editApprovals: answer },
    ...{ editAutoInvite: answer, editLargeFileStorage: answer },
  };
  const typed = { ...stored, others: [{ name: "archive", path: "f/t/bucket", isPublic: false }] };
  const request = { workspace: "demo", headers: { "if-match": '"1"' } };
  await saveGeneral({ workspaces: calls }, request, typed, { settings, stored, onStored: () => {} });
  const storage = { type: "stack", secondary_storage: { archive: { type: "S3Storage", s3_resource_path: "f/t/bucket" } } };
  expect(sent).toEqual([{ ...request, body: { large_file_storage: storage } }]);
});

it("a save that fails between two settings continues there, and sends no setting twice", async () => {
  const settings = { workspace_id: "demo", name: "Demo" };
  const sent: string[] = [];
  let fails = true;
  const answer = (name: string) => async () => {
    if (name === "color" && fails) throw new Error("no");
    sent.push(name);
    return "";
  };
  const calls = {
    changeName: answer("name"),
    changeColor: answer("color"),
    editFailedRuns: answer("status"),
    editApprovals: answer("approvals"),
    editAutoInvite: answer("joins"),
    editLargeFileStorage: answer("storage"),
  };
  let stored: GeneralValues = toGeneralValues(settings);
  const typed = { ...stored, name: "Orders", color: "#123456", joins: "all" as const };
  const save = () =>
    saveGeneral({ workspaces: calls }, { workspace: "demo", headers: {} }, typed, {
      settings,
      stored,
      onStored: (values) => {
        stored = { ...stored, ...values };
      },
    });
  await expect(save()).rejects.toThrow("no");
  fails = false;
  await save();
  expect(sent).toEqual(["name", "color", "joins"]);
});
