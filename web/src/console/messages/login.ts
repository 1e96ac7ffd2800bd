export const loginText = {
  title: "Sign in",
  why: "Sign in to open the console.",
  linkUsed: "This link has been used already. Start npm run up again for a new link, or sign in below.",
  token: "Token",
  withToken: "Sign in with a token",
  tokenHelp: "A token of your account. The browser keeps it until you sign out.",
} as const;
