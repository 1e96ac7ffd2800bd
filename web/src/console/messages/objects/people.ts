/** The texts of the pages of folders, groups and users. */
export const peopleText = {
  name: "Name",
  summary: "Summary",
  members: "Members",
  owners: "Owners",
  addMember: "Add member",
  member: "User or group",
  user: "User",
  right: "Permission",
  rights: { owner: "Owner", write: "Write", read: "Read" },
  add: "Add",
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  noMembers: "No members",
  added: (name: string) => `${name} was added.`,
  removed: (name: string) => `${name} was removed.`,
  nameHelp: "Letters, digits, - and _",
} as const;

export const foldersText = {
  title: "Folders",
  why: "A folder determines who may read and change the scripts, flows, variables and other objects at f/ and its name.",
  new: "New folder",
  searchHelp: "A part of a name or a summary",
  caption: "Folders by name",
  empty: "No folders",
  emptyWhy: "Create a folder for a team or a subject, and give its members access to what is in it.",
  deleteWhy: "Its contents remain, but only administrators can reach them.",
  rightsWhy: "Owners write in the folder and grant access to it. Others write or only read. Reading includes running.",
} as const;

export const groupsText = {
  title: "Groups",
  why: "A group has members. Folders and objects give access to groups. Every user is in the group all.",
  new: "New group",
  searchHelp: "A part of a name or a summary",
  caption: "Groups by name",
  empty: "No groups",
  emptyWhy: "Create a group for people who need the same permissions.",
  deleteWhy: "All permissions of the group are deleted with it.",
} as const;

export const usersText = {
  title: "Users",
  why: "The users of this workspace, with their roles.",
  new: "Add user",
  searchHelp: "A part of a name or an e-mail address",
  caption: "Users by name",
  empty: "No users",
  emptyWhy: "Add a user by the e-mail address with which the user signs in.",
  username: "Username",
  usernameHelp: "Optional. Without one, it is made from the e-mail address.",
  email: "E-mail",
  role: "Role",
  roleOf: (name: string) => `Role of ${name}`,
  roles: { admin: "Administrator", developer: "Developer", operator: "Operator" },
  rolesWhy: "Administrators may do everything. Developers write where they have access. Operators only run and read.",
  groups: "Groups",
  disabled: "Disabled",
  disabledOf: (name: string) => `Disabled: ${name}`,
  changed: (name: string) => `${name} was changed.`,
  added: (email: string) => `${email} was added.`,
  invite: "Send an invitation instead: the user becomes a member after accepting it",
  invites: "Invitations",
  invited: (email: string) => `${email} was invited.`,
  noInvites: "No open invitations",
  consequences: "The removal changes these objects",
  noConsequences:
    "No enabled schedule, HTTP route or trigger runs with the rights of this user, and no token of the user reaches this workspace.",
  schedulesStop: (count: number) => (count === 1 ? "1 schedule stops" : `${count} schedules stop`),
  routesStop: (count: number) => (count === 1 ? "1 HTTP route answers 404" : `${count} HTTP routes answer 404`),
  triggersStop: (count: number) => (count === 1 ? "1 trigger stops" : `${count} triggers stop`),
  tokensEnd: (count: number) =>
    count === 1
      ? "1 token no longer reaches this workspace, including its webhooks"
      : `${count} tokens no longer reach this workspace, including its webhooks`,
  foldersLose: (count: number) => (count === 1 ? "1 folder has no owner left" : `${count} folders have no owner left`),
  groupsLose: (count: number) => (count === 1 ? "1 group loses a member" : `${count} groups lose a member`),
  andMore: (count: number) => `and ${count} more`,
  openSchedules: "Open the schedules",
  removal: {
    title: (username: string) => `Remove ${username}?`,
    action: "Remove",
    done: (username: string) => `${username} was removed.`,
  },
  deleteWhy:
    "The user loses all permissions in this workspace at once. The user's tokens no longer work here, queued runs end within a minute, and schedules turn themselves off at their next time. Objects at u/ and the name remain; administrators can move them.",
} as const;

/** The texts of the permissions of one object. */
export const permissionsText = {
  title: "Permissions",
  of: (path: string) => `Permissions of ${path}`,
  why: (path: string) =>
    path.startsWith("u/")
      ? "The user of the path may do everything. Others have access if they are listed here."
      : "The members of the folder have access. Users and groups that are listed here have it as well.",
  none: "No user and no group has an extra permission.",
  notOwner: "Only the owners of the object and administrators change its permissions.",
} as const;

export const explainText = {
  because: "Access of a user, and why",
  title: "Permissions of a user",
  why: "Choose a user and an object, to see what the user may do with it and every rule that grants or refuses it. Administrators and the owners of an object can choose other users.",
  kind: "Kind",
  kinds: {
    script: "Script",
    flow: "Flow",
    variable: "Variable",
    resource: "Resource",
    schedule: "Schedule",
    app: "App",
    folder: "Folder",
  },
  path: "Path",
  folder: "Name of the folder",
  explain: "Explain",
  can: { read: "May read", run: "May run", write: "May change" },
  cannot: { read: "May not read", run: "May not run", write: "May not change" },
} as const;

/** The texts of the invitations of the signed-in person. */
export const invitationsText = {
  title: "Invitations",
  invited: (workspace: string) => `You are invited to the workspace ${workspace}.`,
  username: "Username in the workspace",
  accept: "Accept",
  acceptOf: (workspace: string) => `Accept the invitation to ${workspace}`,
  decline: "Decline",
  declineOf: (workspace: string) => `Decline the invitation to ${workspace}`,
} as const;
