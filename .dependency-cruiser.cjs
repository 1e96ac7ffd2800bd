// The arrows of docs/architecture.md: who may import whom. `npm run verify` checks them.

/** Folder → our folders it may import from, beside itself. */
const arrows = {
  // The list of runner manifests is plain data: the languages of the contract are read from it.
  contract: ["runners/manifests?.ts"],
  core: ["contract"],
  // Interfaces of collaborators. Those of the tables name types of aws/.
  ports: ["contract", "core"],
  aws: ["contract", "core", "ports"],
  statemachines: ["contract", "core"],
  services: ["contract", "core", "ports", "statemachines", "runners/protocol.ts"],
  functions: ["contract", "core", "ports", "services", "aws", "runners/protocol.ts"],
  // The kinds of stored objects, whose partitions the rights of functions name.
  lib: ["contract", "core"],
  bin: ["lib", "contract"],
  // The settings of a deployment, which `npm run aws:check` compares with an account.
  engine: ["functions", "services", "aws", "ports", "core", "contract", "lib/config.ts", "lib/compute/concurrency.ts"],
  cli: ["contract", "core/sync", "core/signatures", "clients/pack.ts"],
  clients: ["contract"],
  // The rules that an editor applies while a person types. They are pure, and need no schemas.
  // The types of our clients become part of the pages when these are built.
  web: ["contract", "core/expressions", "core/approvals/template.ts", "core/approvals/description-items.ts", "core/resources/references.ts", "core/variables/contextual.ts", "core/signatures/parse-source.ts", "core/builds/script-paths.ts", "clients/pack.ts"],
};

/** Folders that may name the types of others, where a value would be a dependency. */
const byType = new Set(["services", "core", "aws", "ports"]);

const ours = [...Object.keys(arrows), "runners", "test", "bench"];
/** A test stands beside its file and may also use the helpers of test/support. */
const testFiles = "\\.test\\.(ts|mjs)$";

/**
 * Folders of services/: each may import only from those before it, types included (docs/decisions/0059). The folder of a
 * new kind of stored objects needs no place: it follows those before `sync`, and only the folders from `sync` on may import it.
 */
const servicesOrder = [
  ...["audit", "outbox", "settings", "secrets", "workspaces", "identity", "search", "objects", "folders", "drafts", "console", "variables", "accounts", "resources", "apps", "jobs", "files", "scripts"],
  ...["builds", "execution", "approvals", "chats", "flows", "inputs", "deliveries", "notifications", "events", "schedules", "triggers", "http-routes", "openapi", "outcome-handlers", "sync", "maintenance"],
];
/** The same for core/: an order without a cycle. Another new folder may stand anywhere behind those that it imports from. */
const coreOrder = [
  ...["telemetry", "patterns", "records", "objects", "events", "audit", "builds", "drafts", "expressions", "files", "jobs", "people", "permissions", "approvals", "flows", "cost", "deliveries", "notifications"],
  ...["secrets", "accounts", "triggers", "settings", "signatures", "scripts", "payload", "reply", "resources", "streams", "variables", "workspaces", "schedules", "outcome-handlers", "apps", "http-routes", "chats", "openapi", "sync"],
];

const ordered = (root, folders) => [
  ...folders.slice(0, -1).map((folder, index) => ({
    name: `${root}-${folder}-imports-no-later-folder`,
    comment: `${root}/${folder}/ may import only from the folders of ${root}/ before it, types included.`,
    severity: "error",
    from: { path: `^${root}/${folder}/`, pathNot: testFiles },
    to: { path: `^${root}/(${folders.slice(index + 1).join("|")})/` },
  })),
  {
    name: `${root}-folders-are-in-the-order`,
    comment: `Only the folders from sync on may import a folder of ${root}/ that the order above does not contain.`,
    severity: "error",
    from: { path: `^${root}/([^/]+)/`, pathNot: `^${root}/(${folders.slice(folders.indexOf("sync")).join("|")})/` },
    to: { path: `^${root}/[^/]+/`, pathNot: `^${root}/(${folders.join("|")}|$1)/` },
  },
  {
    name: `${root}-kinds-import-no-later-folder`,
    comment: `A folder of ${root}/ that the order above does not contain may import only from those before sync.`,
    severity: "error",
    from: { path: `^${root}/[^/]+/`, pathNot: `${testFiles}|^${root}/(${folders.join("|")})/` },
    to: { path: `^${root}/(${folders.slice(folders.indexOf("sync")).join("|")})/` },
  },
];

const forbidden = Object.entries(arrows).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `${folder}/ may import only from ${allowed.join(", ") || "packages"}.`,
  severity: "error",
  from: { path: `^${folder}/`, pathNot: testFiles },
  to: {
    path: `^(${ours.join("|")})/`,
    pathNot: `^(${[folder, ...allowed].join("|")})(/|$)`,
    // By type alone, services know the adapters that they are given, and rules and adapters what a runner answers.
    ...(byType.has(folder) ? { dependencyTypesNot: ["type-only"] } : {}),
  },
}));

/** A module that decrypts → the modules that may import it. Another one that returns secrets to a reader writes no entry in the audit log. */
const decrypting = {
  "core/secrets/open.ts": "services/(secrets/(unseal|open-copy)|identity/(tokens/id-token|sign-in/federated-login)|accounts/account-key|variables/save)",
  "core/secrets/mask-encryption.ts": "services/secrets/masks",
  "services/secrets/unseal.ts": "services/(secrets/(sealed-copies|read-export-key|rotate-workspace-key)|variables/(read|save)|sync/load-objects)",
};
const decryption = Object.entries(decrypting).map(([module, importers]) => ({
  name: `few-modules-import-${module.replace(/[/.]/g, "-")}`,
  comment: "Each module that decrypts is known: services/sync/revealed-secrets.usecase.test.ts shows that a reader's secrets are in the audit log.",
  severity: "error",
  from: { pathNot: `${testFiles}|^test/|^(${importers})\\.ts$` },
  to: { path: `^${module.replaceAll(".", "\\.")}$` },
}));

/** Folders of pure code: no AWS, no clock, no I/O. Hashing is a calculation. */
const pure = { from: { path: "^(contract|core|statemachines)/", pathNot: testFiles } };

module.exports = {
  forbidden: [
    ...forbidden,
    ...ordered("services", servicesOrder),
    ...ordered("core", coreOrder),
    ...decryption,
    {
      name: "core-approvals-and-flows-apart",
      comment: "Approvals and flows share types through core/jobs.",
      severity: "error",
      from: { path: "^core/(approvals|flows)/", pathNot: testFiles },
      to: { path: "^core/(approvals|flows)/", pathNot: "^core/$1/" },
    },
    {
      name: "services-use-adapters-by-type",
      comment: "Collaborators come in as arguments: services/ knows aws/ by its types only, and nothing else of ours.",
      severity: "error",
      from: { path: "^services/", pathNot: testFiles },
      to: { path: "^(bin|lib|functions|engine|cli|clients|web|test|bench)/" },
    },
    {
      name: "types-only-of-neighbours",
      comment: "core/ and aws/ may name the types of the runner protocol, and nothing else outside their arrows.",
      severity: "error",
      from: { path: "^(core|aws)/", pathNot: testFiles },
      to: { path: "^(bin|lib|functions|services|engine|cli|clients|web|test|bench|runners/(?!protocol\\.ts$))" },
    },
    {
      name: "ports-name-types-of-tables",
      comment: "ports/ may name the types of aws/ and of the runner protocol, and nothing else outside its arrows.",
      severity: "error",
      from: { path: "^ports/", pathNot: testFiles },
      to: { path: "^((bin|lib|functions|services|statemachines|engine|cli|clients|web|test|bench)/|runners/(?!protocol\\.ts$))" },
    },
    {
      name: "runners-stand-alone",
      comment: "A runner executes user code: it may import only the protocol, exact numbers and runners/shared.",
      severity: "error",
      from: { path: "^runners/([^/]+)/", pathNot: `${testFiles}|^runners/([^/]+/test|conformance)/` },
      to: { path: `^(${ours.join("|")})/`, pathNot: "^(contract/json/exact-json\\.ts$|runners/($1/|shared/|(protocol|manifest)\\.ts$))" },
    },
    {
      name: "manifests-are-plain-data",
      comment: "Every bundle contains all manifests, so they import nothing but their own type.",
      severity: "error",
      from: { path: "^runners/(manifests\\.ts$|[^/]+/manifest\\.ts$)" },
      to: { pathNot: "^runners/(manifest\\.ts$|[^/]+/manifest\\.ts$)" },
    },
    {
      name: "manifests-through-the-contract",
      comment: "Outside runners/, contract/languages.ts is the only reader of the manifests.",
      severity: "error",
      from: { pathNot: "^runners/|^contract/languages\\.ts$" },
      to: { path: "^runners/(manifests?\\.ts$|[^/]+/manifest\\.ts$)" },
    },
    {
      name: "clients-know-routes-by-type",
      comment: "A value of the routes brings every schema into a bundle. The typed client knows them by type and reads the generated operations.",
      severity: "error",
      from: { path: "^(contract/client|cli|web|engine/(seed|commands/smoke))/", pathNot: testFiles },
      to: { path: "^contract/routes/routes\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "protocol-imports-nothing",
      severity: "error",
      from: { path: "^runners/protocol\\.ts$" },
      to: {},
    },
    {
      name: "pure-without-io",
      comment: "Rules are functions of their arguments; what they need comes in as data.",
      severity: "error",
      ...pure,
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|buffer|util|url|querystring|path|assert|module)$" },
    },
    { name: "pure-without-aws", severity: "error", ...pure, to: { path: "node_modules/@aws-sdk" } },
    { name: "no-tests-in-code", severity: "error", from: { pathNot: `${testFiles}|^test/|^bench/` }, to: { path: testFiles } },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(engine/seed/examples|test/fixtures|web/src/console/parts/types/globals)/|^(dist|cdk\\.out|clients/typescript/dist)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".mts", ".mjs", ".js", ".json", ".d.ts"], exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
