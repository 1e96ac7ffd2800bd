export const settingsText = {
  title: "Workspace settings",
  tabList: "Parts of the settings",
  tabs: {
    general: "General",
    webhooks: "Webhooks",
    "error-handler": "Error handler",
    "success-handler": "Success handler",
    chat: "Chat",
    "default-app": "Default app",
    "encryption-key": "Encryption key",
    "danger-zone": "Danger zone",
  },
  adminsOnly: "Only admins see the settings",
  adminsOnlyWhy: "Ask an admin of this workspace to change a setting, or to make you an admin.",
} as const;

export const instanceText = {
  title: "Instance",
  tabList: "Parts of the instance",
  tabs: { users: "Users", workspaces: "Workspaces", settings: "Settings", webhooks: "Webhooks", groups: "Groups" },
  superadminsOnly: "Only superadmins see this page",
  superadminsOnlyWhy: "Ask a superadmin to change a setting of the instance.",
} as const;
