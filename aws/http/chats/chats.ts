import type { ChatCredential } from "../../../core/chats/chat-credential.ts";
import type { Chats, ChatVendor } from "../../../ports/chats.ts";

/** The calls of a vendor with the credential of one resource. */
type BoundVendor = {
  [Name in keyof Chats]: Chats[Name] extends (credential: ChatCredential, ...rest: infer Rest) => infer Reply
    ? (...rest: Rest) => Reply
    : never;
};

const bind = <Credential>(vendor: ChatVendor<Credential>, credential: Credential): BoundVendor => ({
  post: (target, content) => vendor.post(credential, target, content),
  update: (place, content) => vendor.update(credential, place, content),
  openDirectMessage: (user) => vendor.openDirectMessage(credential, user),
  findPersonByEmail: async (email) => (await vendor.findPersonByEmail?.(credential, email)) ?? { ok: true, value: undefined },
});

/** Loads the code of the credential's vendor when it is first needed. */
async function load(credential: ChatCredential): Promise<BoundVendor> {
  switch (credential.type) {
    case "slack":
      return bind((await import("./slack.ts")).slack, credential);
    case "discord":
      return bind((await import("./discord.ts")).discord, credential);
    case "ms_teams_bot":
      return bind((await import("./teams.ts")).teamsChats, credential);
  }
}

/** The chats of every vendor. */
export const chats: Chats = {
  post: async (credential, target, content) => (await load(credential)).post(target, content),
  update: async (credential, place, content) => (await load(credential)).update(place, content),
  openDirectMessage: async (credential, user) => (await load(credential)).openDirectMessage(user),
  findPersonByEmail: async (credential, email) => (await load(credential)).findPersonByEmail(email),
};
