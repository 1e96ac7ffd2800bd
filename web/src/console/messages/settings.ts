export const settingsText = {
  title: "Workspace settings",
  tabList: "Parts of the settings",
  tabs: { webhooks: "Webhooks" },
  adminsOnly: "Only admins see the settings",
  adminsOnlyWhy: "Ask an admin of this workspace to change a setting, or to make you an admin.",
} as const;

export const instanceText = {
  title: "Instance",
  tabList: "Parts of the instance",
  tabs: { webhooks: "Webhooks" },
  superadminsOnly: "Only superadmins see this page",
  superadminsOnlyWhy: "Ask a superadmin to change a setting of the instance.",
} as const;
