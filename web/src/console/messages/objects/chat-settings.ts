export const chatSettingsText = {
  why: "An application in a chat belongs to a resource. Steps of flows post their requests for approval with it, and people decide in the message.",
  caption: "Resources of chat applications, by path",
  columns: {
    path: "Resource",
    type: "Application",
    state: "State",
    trust: "Addresses of members",
    callback: "Address for the application",
  },
  types: { slack: "Slack", ms_teams_bot: "Microsoft Teams", discord: "Discord" } as Readonly<Record<string, string>>,
  ready: "Ready",
  faulty: "Cannot be used",
  trust: {
    off: "Not trusted",
    on: "Trusted: a confirmed address stands for the user who has it",
    inactive:
      "Not trusted, because another user than an administrator has changed the resource or its variables. An administrator saves it again with its value.",
  },
  copy: "Copy address",
  copyOf: (path: string) => `Copy address of ${path}`,
  manifest: "Manifest",
  manifestOf: (path: string) => `Manifest of the application of ${path}`,
  empty: "No chat application is connected",
  emptyWhy:
    "Create an application in the chat and a resource with its token. A step of a flow then names the resource and a channel. The guide describes each chat.",
  create: "New resource",
} as const;
