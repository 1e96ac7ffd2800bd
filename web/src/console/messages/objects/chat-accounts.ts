const vendors = { slack: "Slack", teams: "Microsoft Teams", discord: "Discord" } as const;

export const chatAccountsText = {
  why: "Your clicks in a chat count as yours if the account there is connected with you.",
  caption: "Your accounts in chats, newest first",
  columns: {
    name: "Name in the chat",
    vendor: "Chat",
    ids: "Team and person",
    resource: "Connected by",
    connected: "Connected",
    actions: "Actions",
  },
  vendors,
  empty: "No chat account is connected",
  emptyWhy:
    "Press Approve or Reject in a message that asks for an approval. The answer there, which only you see, has a link to connect the account.",
  disconnect: "Disconnect",
  disconnectTitle: "Disconnect a chat account",
  disconnectWhy: (name: string, vendor: keyof typeof vendors) =>
    `The clicks of ${name} in ${vendors[vendor]} no longer count as yours. You can connect the account again at any time.`,
  disconnected: "The account is disconnected.",
} as const;

export const chatLinkText = {
  title: "Connect a chat account",
  signIn: "Sign in as the user to connect with your account in the chat.",
  noLink: "This page needs the link of a chat",
  noLinkWhy: "Press the button in the chat again, and open the link in the answer, which only you see.",
  gone: "This link no longer works",
  goneWhy: "It was used, is older than ten minutes, or a newer link has replaced it. Press the button in the chat again.",
  toAccounts: "Your chat accounts",
  name: "Name in the chat",
  address: "Address in the chat",
  ids: "Team and person",
  resource: "Asked by the resource",
  resourceIn: (resource: string, workspace: string) => `${resource} in ${workspace}`,
  user: "Your user here",
  until: "The link works until",
  warning: (name: string) =>
    `The person who uses ${name} in the chat decides as you from then on. Stop here if another person sent you this link, or if you do not know the resource.`,
  replaces: "This person in the chat is connected with another user. Your user replaces that one.",
  confirm: (name: string, vendor: keyof typeof vendors) => `I am ${name} in ${vendors[vendor]}, and I pressed the button there myself.`,
  connect: "Connect",
  otherUser: "Sign in as another user",
  otherUserWhy: "Sign in as another user.",
  done: "The account is connected",
  doneWhy: (name: string) => `Return to the chat, and press the button again: the clicks of ${name} now count as yours.`,
} as const;
