/** The texts of the frame and of everything that several pages show. */
export const frameText = {
  product: "svc",
  skip: "Skip to content",
  workspace: "Workspace",
  menu: "Menu",
  pages: { home: "Home", runs: "Runs", items: "Scripts and flows", approvals: "Approvals", settings: "Settings" },
  waiting: "waiting for you",
  palette: "Command palette",
  paletteButton: "Go to…",
  paletteSearch: "Search pages, scripts, flows, runs and actions",
  paletteEmpty: "Nothing matches. Try a part of a path, or the id of a run.",
  guide: (title: string) => `Guide: ${title}`,
  readGuide: "Read the guide",
  paletteRun: (id: string) => `Open run ${id}`,
  shortcuts: "Keyboard shortcuts",
  account: "Account",
  instance: "Instance",
  theme: "Theme",
  themes: { light: "Light", dark: "Dark", auto: "System" },
  signOut: "Sign out",
  sessionEnded: "Sign in again",
  sessionEndedWhy: "Your session has ended. Sign in to continue; this page keeps what you have typed.",
  loading: "Loading…",
  slow: "The service takes longer than usual to respond.",
  close: "Close dialog",
  retry: "Retry",
  cancel: "Cancel",
  save: "Save",
  create: "Create",
  copy: "Copy",
  copied: "Copied",
  copyRefused: "The browser refused to copy.",
  copyByHand: "The browser refused to copy. Copy the selected text yourself.",
  reload: "Reload",
  code: (code: string) => `Error code: ${code}`,
  notFound: "Page not found",
  notFoundWhy: "No page of the console has this address. Check the address, or continue at the start.",
  toStart: "Go to the start",
  failed: "This page can't be displayed",
  failedWhy: "A part of this page could not be loaded or displayed. After an update of the service, a reload loads the new version.",
  noWorkspace: "No workspace",
  noWorkspaceWhy: "You are not a member of a workspace yet. Ask an administrator to add you, or create a workspace.",
  lastUsed: (when: string) => `used ${when}`,
  offline: "You are offline. The page shows the last data that it has received.",
} as const;

/** The words for the states of a run. */
export const stateText = {
  queued: "Queued",
  scheduled: "Scheduled",
  running: "Running",
  suspended: "Suspended",
  awaiting_approval: "Awaiting approval",
  succeeded: "Succeeded",
  failed: "Failed",
  canceled: "Canceled",
  skipped: "Skipped",
} as const;

/** The names of actions in the command palette. Users type parts of them. */
export const actionText = {
  newToken: "Create a token",
  run: "run ",
  runItem: (path: string) => `Run ${path}`,
  switchTo: (workspace: string) => `Switch to workspace ${workspace}`,
  theme: (name: string) => `Theme: ${name}`,
} as const;

/** The effect of each shortcut. */
export const shortcutText = {
  palette: "Open the command palette",
  help: "Show the keyboard shortcuts",
  home: "Go to Home",
  runs: "Go to Runs",
  items: "Go to Scripts and flows",
  approvals: "Go to Approvals",
} as const;
