import { randomUUID } from "node:crypto";
import { TagQueueCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, it } from "vitest";
import { mailboxObject } from "../../core/triggers/trigger.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { setGlobalSetting } from "../settings/instance.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { getTrigger, listTriggers, triggerExists } from "./read.ts";
import { deleteTrigger, setTriggerMode } from "./save.ts";
import { connectPendingSources } from "./tasks.ts";

let world: TriggerWorld;
let script: string;
beforeAll(async () => {
  world = await newTriggerWorld();
  script = await world.addRunnable("u/ann/handle");
});

const newPath = () => `u/ann/${randomUUID()}`;
const tagged = (workspace = world.workspace) => world.addQueue(`q-${randomUUID().slice(0, 8)}`, { "svc:workspace": workspace });
const common = (path: string) => ({ path, script_path: script, is_flow: false });
const get = (kind: "sqs" | "aws" | "email", path: string) =>
  getTrigger(world.deps, { workspace: world.workspace, kind, path }).then(({ json }) => json);
const refusal = (field: string) => ({ code: "trigger.source", details: expect.objectContaining({ field }) });

describe("a trigger", () => {
  it("is stored with all common fields, and shown with them", async () => {
    const [path, queue] = [newPath(), await tagged()];
    const fields = {
      labels: ["a"],
      error_handler_path: `script/${script}`,
      error_handler_args: { a: 1 },
      retry: { constant: { attempts: 2, seconds: 1 } },
    };
    await world.create("sqs", { ...common(path), queue_url: queue.url, ...fields, message_attributes: ["colour"] });
    expect(await get("sqs", path)).toEqual({
      ...common(path),
      ...fields,
      mode: "enabled",
      enabled: true,
      permissioned_as: "u/ann",
      email: "ann@example.com",
      extra_perms: {},
      workspace_id: world.workspace,
      edited_by: "ann",
      edited_at: expect.any(String),
      queue_url: queue.url,
      aws_auth_resource_type: "credentials",
      aws_resource_path: "",
      message_attributes: ["colour"],
    });
  });

  it("is refused with an error handler that does not exist", async () => {
    const queue = await tagged();
    const create = (handler: string) => world.create("sqs", { ...common(newPath()), queue_url: queue.url, error_handler_path: handler });
    await expect(create("script/u/ann/none")).rejects.toMatchObject({ code: "script.notFound" });
    await expect(create(`flow/${script}`)).rejects.toMatchObject({ code: "flow.notFound" });
  });

  it("is found by the filters of its list", async () => {
    const [path, queue] = [newPath(), await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url, labels: ["rare"] });
    const list = async (query: object) =>
      (await listTriggers(world.deps, { workspace: world.workspace, kind: "sqs" }, query, () => true)).map((one) => one.path);
    expect(await list({ label: "rare" })).toEqual([path]);
    expect(await list({ path_start: path })).toEqual([path]);
    expect(await list({ path: script, label: "rare" })).toEqual([path]);
    expect(await list({ path: "u/ann/other" })).toEqual([]);
    expect(await list({ is_flow: "true" })).toEqual([]);
    expect((await list({ per_page: 1 })).length).toBe(1);
    expect(await listTriggers(world.deps, { workspace: world.workspace, kind: "sqs" }, {}, () => false)).toEqual([]);
  });

  it("is renamed with its permissions and its queue, and no longer exists after its deletion", async () => {
    const [path, to, queue] = [newPath(), newPath(), await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url });
    const acl = { workspace: world.workspace, kind: "sqs_trigger" };
    await changeAcl(world.deps, anAdmin, { ...acl, path }, { owner: "u/bob", right: true });
    await world.update("sqs", path, { ...common(to), queue_url: queue.url });
    expect(await triggerExists(world.deps, { workspace: world.workspace, kind: "sqs", path })).toBe(false);
    expect(await getAcl(world.deps, { ...acl, path: to })).toEqual({ "u/bob": true });
    expect(world.mappings.has(queue.arn)).toBe(true);
    await deleteTrigger(world.deps, world.caller("sqs", to));
    expect(await getAcl(world.deps, { ...acl, path: to })).toEqual({});
    expect(world.mappings.has(queue.arn)).toBe(false);
    await expect(get("sqs", to)).rejects.toMatchObject({ code: "trigger.notFound" });
  });

  it("keeps what an update omits, and runs as the user who saved it last", async () => {
    const [path, queue] = [newPath(), await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url, labels: ["a"], mode: "disabled" });
    await world.update("sqs", path, { ...common(path), queue_url: queue.url });
    expect(await get("sqs", path)).toMatchObject({ labels: ["a"], mode: "disabled", enabled: false });
    await world.update("sqs", path, { ...common(path), queue_url: queue.url, enabled: true, labels: null });
    expect(await get("sqs", path)).toMatchObject({ mode: "enabled" });
    expect(await get("sqs", path)).not.toHaveProperty("labels");
  });

  it("of a caller who may not run the script, or whose script is absent, is refused as if there were none", async () => {
    const queue = await tagged();
    const bob = aReader(world.workspace, []);
    const sent = { ...common("u/bob/mine"), queue_url: queue.url };
    await expect(world.create("sqs", sent, bob)).rejects.toMatchObject({ code: "script.notFound" });
    await expect(world.create("sqs", { ...sent, script_path: "u/bob/absent" }, bob)).rejects.toMatchObject({ code: "script.notFound" });
    await expect(world.create("sqs", { ...sent, is_flow: true }, bob)).rejects.toMatchObject({ code: "flow.notFound" });
    await expect(world.create("sqs", { ...sent, path: newPath() }, bob)).rejects.toMatchObject({ code: "auth.forbidden" });
  });

  it("is enabled or suspended only by a caller and a token that may run its script; anyone who may write it can disable it", async () => {
    const [path, queue] = [`u/bob/${randomUUID()}`, await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url });
    const token = { ...anAdmin, scopes: ["sqs_triggers:write"] };
    for (const [actor, code] of [
      [aReader(world.workspace, []), "script.notFound"],
      [token, "auth.forbidden"],
    ] as const) {
      const caller = { ...world.caller("sqs", path), actor };
      await setTriggerMode(world.deps, caller, "disabled");
      for (const mode of ["enabled", "suspended"] as const)
        await expect(setTriggerMode(world.deps, caller, mode)).rejects.toMatchObject({ code });
    }
    expect(await get("sqs", path)).toMatchObject({ mode: "disabled" });
    await setTriggerMode(
      world.deps,
      { ...world.caller("sqs", path), actor: { ...token, scopes: [...token.scopes, "jobs:run:scripts"] } },
      "enabled",
    );
    expect(await get("sqs", path)).toMatchObject({ mode: "enabled" });
  });

  it("runs as another member only if an administrator preserves that member", async () => {
    const bob = aReader(world.workspace, []);
    const own = await world.addRunnable("u/bob/own");
    const queue = await tagged();
    const sent = { path: "u/bob/t", script_path: own, is_flow: false, queue_url: queue.url, permissioned_as: "u/ann" };
    await expect(world.create("sqs", { ...sent, preserve_permissioned_as: true }, bob)).rejects.toMatchObject({
      code: "trigger.notPermittedAs",
    });
    await world.create("sqs", sent, bob);
    expect(await get("sqs", "u/bob/t")).toMatchObject({ permissioned_as: "u/bob" });
    await expect(
      world.update("sqs", "u/bob/t", { ...sent, permissioned_as: "u/unknown", preserve_permissioned_as: true }),
    ).rejects.toMatchObject({ code: "user.notFound" });
  });

  it("is created once, or refused because it exists, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const [path, queue] = [newPath(), await tagged()];
      const act = () => world.create("sqs", { ...common(path), queue_url: queue.url });
      return {
        act,
        recover: async () => {
          await repeat(act, ["trigger.exists", "trigger.sourceTaken"]);
          await connectPendingSources({ ...world.deps, isolation: newIsolation(world) });
        },
        check: async () => {
          expect(await get("sqs", path)).toMatchObject({ path });
          expect(world.mappings.has(queue.arn)).toBe(true);
          expect(await world.deps.objects.list("CONNECTIONS")).toEqual([]);
        },
      };
    });
  });
});

describe("a queue of the deployment's account", () => {
  it("is refused without the tag that names the workspace, as if it did not exist", async () => {
    const foreign = await tagged("other-workspace");
    const untagged = await world.addQueue(`u-${randomUUID().slice(0, 8)}`);
    const absent = untagged.url.replace(/[^/]+$/, "absent");
    const elsewhere = "https://sqs.eu-west-1.amazonaws.com/123456789012/theirs";
    const reasons: string[] = [];
    for (const url of [foreign.url, untagged.url, absent, elsewhere]) {
      const refused = await world.create("sqs", { ...common(newPath()), queue_url: url }).catch((error: unknown) => error);
      expect(refused).toMatchObject(refusal("queue_url"));
      reasons.push((refused as { details: { reason: string } }).details.reason);
    }
    expect(new Set(reasons).size).toBe(1);
  });

  it("is refused if it hides messages for a shorter time than the function takes", async () => {
    const short = await world.addQueue(`v-${randomUUID().slice(0, 8)}`, { "svc:workspace": world.workspace }, { VisibilityTimeout: "10" });
    await expect(world.create("sqs", { ...common(newPath()), queue_url: short.url })).rejects.toMatchObject(refusal("queue_url"));
  });

  it("serves one trigger, and is free when that is deleted", async () => {
    const [first, second, queue] = [newPath(), newPath(), await tagged()];
    await world.create("sqs", { ...common(first), queue_url: queue.url });
    await expect(world.create("sqs", { ...common(second), queue_url: queue.url })).rejects.toMatchObject({ code: "trigger.sourceTaken" });
    await deleteTrigger(world.deps, world.caller("sqs", first));
    await world.create("sqs", { ...common(second), queue_url: queue.url });
  });

  it("is mapped while the trigger is enabled or suspended, and not while it is disabled", async () => {
    const [path, queue] = [newPath(), await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url, mode: "disabled" });
    expect(world.mappings.has(queue.arn)).toBe(false);
    for (const mode of ["enabled", "disabled", "suspended"] as const) {
      await setTriggerMode(world.deps, world.caller("sqs", path), mode);
      expect(world.mappings.has(queue.arn)).toBe(mode !== "disabled");
    }
  });

  it("that loses its tag is disconnected at the next check, and the trigger shows why", async () => {
    const [path, queue] = [newPath(), await tagged()];
    await world.create("sqs", { ...common(path), queue_url: queue.url });
    await world.sqs.send(new TagQueueCommand({ QueueUrl: queue.url, Tags: { "svc:workspace": "another" } }));
    await setTriggerMode(world.deps, world.caller("sqs", path), "suspended");
    expect(world.mappings.has(queue.arn)).toBe(false);
    expect(await get("sqs", path)).toMatchObject({ error: expect.stringContaining("svc:workspace") });
    await world.sqs.send(new TagQueueCommand({ QueueUrl: queue.url, Tags: { "svc:workspace": world.workspace } }));
    await setTriggerMode(world.deps, world.caller("sqs", path), "enabled");
    expect(world.mappings.has(queue.arn)).toBe(true);
    expect(await get("sqs", path)).not.toHaveProperty("error");
  });
});

describe("an AWS trigger", () => {
  const topic = "arn:aws:sns:us-east-1:000000000000:orders";
  const list = (arns: string[]) => setGlobalSetting(world.deps, "aws_trigger_sources", { [world.workspace]: arns });

  it("may use only the topics, buses and buckets that are listed for its workspace", async () => {
    await list([]);
    const sources = [
      [{ source: "sns", topic_arn: topic }, "topic_arn"],
      [{ source: "eventbridge", event_pattern: { source: ["shop"] } }, "bus"],
      [{ source: "s3", bucket: "incoming" }, "bucket"],
    ] as const;
    for (const [fields, field] of sources) {
      await expect(world.create("aws", { ...common(newPath()), ...fields })).rejects.toMatchObject(refusal(field));
    }
    await setGlobalSetting(world.deps, "aws_trigger_sources", { other: [topic] });
    await expect(world.create("aws", { ...common(newPath()), source: "sns", topic_arn: topic })).rejects.toMatchObject(
      refusal("topic_arn"),
    );
  });

  it("is refused with a pattern that EventBridge refuses", async () => {
    await list(["arn:aws:events:us-east-1:000000000000:event-bus/default"]);
    const sent = { ...common(newPath()), source: "eventbridge", event_pattern: { source: "not a list" } };
    await expect(world.create("aws", sent)).rejects.toMatchObject(refusal("event_pattern"));
  });
});

describe("an e-mail trigger", () => {
  const create = (fields: object, path = newPath()) => world.create("email", { ...common(path), ...fields });

  it("has an address that no other trigger has", async () => {
    const path = newPath();
    await create({ local_part: "Orders" }, path);
    expect(await get("email", path)).toMatchObject({ local_part: "orders", address: "orders@in.example.com" });
    await expect(create({ local_part: "orders" })).rejects.toMatchObject({ code: "trigger.sourceTaken" });
    await world.update("email", path, { ...common(path), local_part: "orders", workspaced_local_part: true });
    expect(await get("email", path)).toMatchObject({ address: `${world.workspace}-orders@in.example.com` });
    await create({ local_part: "orders" });
    expect(await world.deps.objects.get(mailboxObject.key("orders"))).toBeDefined();
  });

  it("cannot have an address that proves the ownership of the domain", async () => {
    for (const local_part of ["admin", "postmaster", "Webmaster"])
      await expect(create({ local_part })).rejects.toMatchObject(refusal("local_part"));
  });

  it("is refused where the deployment receives no mail", async () => {
    const deps = { ...world.deps, mailDomain: undefined };
    const path = newPath();
    const { createTrigger } = await import("./save.ts");
    const sent = { ...common(path), local_part: "x" } as Parameters<typeof createTrigger>[2];
    await expect(createTrigger(deps, world.caller("email", path), sent)).rejects.toMatchObject(refusal("local_part"));
  });
});
