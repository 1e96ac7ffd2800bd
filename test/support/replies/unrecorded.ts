import type { RouteKey } from "./exchange.ts";

const refusesNothing = "It answers every request.";
const isPage = "It sends the same page for every address.";
const needsProvider = "It needs an identity provider: test/e2e/people/oauth.test.ts.";
const needsService = "It needs the redirect of another service: test/e2e/connections/accounts.test.ts.";
const needsToken = "It needs the token endpoint of another service: test/e2e/connections/accounts.test.ts.";
const signedByVendor = "It needs a team of the chat application: services/chats/slack.usecase.test.ts.";
const signedByDiscord = "It needs an application of Discord: services/chats/discord/discord.usecase.test.ts.";
const signedByBotFramework = "It needs a tenant of the chat application: services/chats/teams/*.usecase.test.ts.";
const needsBundle = "Only a deployed bundle has the file: test/e2e/clients/install.test.ts.";

/** The requests that no recording has, each with its reason. */
export const unrecorded: Readonly<Partial<Record<`${"good" | "bad"} ${RouteKey}`, string>>> = {
  "good beginLogin": needsProvider,
  "good completeLogin": needsProvider,
  "good returnFromLogin": needsProvider,
  "good createAccount": needsService,
  "good refreshAccount": needsToken,
  "good completeConnect": needsService,
  "good returnFromConnect": needsService,
  "good slack": signedByVendor,
  "good askInSlack": signedByVendor,
  "good discord": signedByDiscord,
  "good askInDiscord": signedByDiscord,
  "good teams": signedByBotFramework,
  "good askInTeams": signedByBotFramework,
  "good postInTeams": signedByBotFramework,
  "good teamsManifest": "Its bytes depend on the version of the compression: services/chats/teams/teams-package.test.ts.",
  "good cliPackage": needsBundle,
  "good clientPackage": needsBundle,
  "good configSchema": needsBundle,
  "bad logout": refusesNothing,
  "bad isPasswordLoginDisabled": refusesNothing,
  "bad isSmtpConfigured": refusesNothing,
  "bad listLogins": refusesNothing,
  "bad jwks": refusesNothing,
  "bad openidConfiguration": refusesNothing,
  "bad version": refusesNothing,
  "bad health": "It fails only if the database does.",
  "bad healthInDetail": "It fails only if the database does.",
  "bad openapi": refusesNothing,
  "bad reference": isPage,
  "bad approvalPage": isPage,
  "bad signedInApprovalPage": isPage,
  "bad home": refusesNothing,
  "bad chatLinkPage": isPage,
  "bad devicePage": isPage,
  "bad signInPage": isPage,
  "bad workspacePage": isPage,
  "bad accountPage": isPage,
  "bad instancePage": isPage,
  "bad sharedRunPage": isPage,
  "bad guides": isPage,
};
