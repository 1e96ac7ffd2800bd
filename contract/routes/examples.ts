/** A complete request. It depends on the requests before it in the list. */
interface Example {
  summary: string;
  params: Readonly<Record<string, string>>;
  body: unknown;
}

const workspace = "demo";
const folder = "guide";
const script = `f/${folder}/greet`;
const flow = `f/${folder}/purchase`;

const schema = { type: "object", properties: { item: { type: "string" }, price: { type: "number" } }, required: ["item", "price"] };

/** The worked examples of operations, by their names, in the order in which they are sent. A test sends each of them. */
export const examples: Readonly<Record<string, Example>> = {
  "folders.create": { summary: "Create a folder.", params: { workspace }, body: { name: folder } },
  "scripts.create": {
    summary: "Save a script.",
    params: { workspace },
    body: {
      path: script,
      summary: "Greet a person",
      language: "bash",
      content: 'name="$1"\necho "Hello $name"',
    },
  },
  "jobs.runWait.scripts": {
    summary: "Run the script, and wait for its result.",
    params: { workspace, path: script },
    body: { name: "Ada" },
  },
  "flows.create": {
    summary: "Save a flow that waits for an approval before its last step.",
    params: { workspace },
    body: {
      path: flow,
      summary: "Approve a purchase",
      schema,
      value: {
        modules: [
          {
            id: "ask",
            summary: "May we buy it?",
            value: { type: "identity" },
            suspend: { required_events: 1, timeout: 3600, inputs: ["item", "price"] },
          },
          {
            id: "buy",
            value: {
              type: "script",
              path: script,
              input_transforms: { name: { type: "javascript", expr: "flow_input.item" } },
            },
          },
        ],
      },
    },
  },
  "jobs.run.flows": {
    summary: "Start the flow. The reply is the id of its job.",
    params: { workspace, path: flow },
    body: { item: "drill", price: 120 },
  },
  "variables.create": {
    summary: "Store a secret, which scripts read by its path.",
    params: { workspace },
    body: { path: `f/${folder}/api_key`, value: "the key", is_secret: true, description: "The key of the shop" },
  },
  "schedules.create": {
    summary: "Run the script every morning at eight.",
    params: { workspace },
    body: {
      path: `f/${folder}/every_morning`,
      schedule: "0 0 8 * * *",
      timezone: "Europe/Berlin",
      script_path: script,
      is_flow: false,
      args: { name: "Ada" },
      enabled: false,
    },
  },
};
