import type { Answers, NoDetails } from "./answer.ts";

/** Errors of users, members, groups, rights, tokens and sign-in. */
export interface PeopleErrors {
  "user.notFound": { email: string };
  "user.exists": { email: string };
  "user.usernameTaken": { username: string };
  "user.lastAdmin": NoDetails;
  "user.invalidPassword": { reason: string };
  "user.oldPassword": NoDetails;
  "member.notFound": { username: string };
  "member.exists": { email: string };
  "invite.notFound": { workspace: string };
  "group.notFound": { name: string };
  "group.exists": { name: string };
  "group.former": { name: string };
  "group.all": NoDetails;
  "access.notFound": { kind: string; path: string };
  "access.changedMeanwhile": NoDetails;
  "access.tooMuch": NoDetails;
  "access.owner": { owner: string };
  "login.refused": NoDetails;
  "login.throttled": { retryAfterS: number };
  "login.otherSite": NoDetails;
  "login.unknown": { client: string };
  "login.notBegun": { client: string };
  "login.notConfirmed": { client: string; reason: string };
  "login.unverified": { client: string };
  "login.denied": { email: string };
  "login.unreachable": { client: string };
  "login.noPasswords": NoDetails;
  "connect.unknown": { client: string };
  "connect.notBegun": { client: string };
  "connect.notConfirmed": { client: string; reason: string };
  "connect.unreachable": { client: string };
  "account.notFound": { account: number };
  "account.token": NoDetails;
  "account.notRefreshed": { account: number; reason: string };
  "account.busy": { account: number };
  "token.notFound": { prefix: string };
  "token.ambiguous": { prefix: string };
  "token.notForJobs": NoDetails;
  "token.unknownScope": { scope: string };
  "token.tooWide": NoDetails;
  "token.changedMeanwhile": NoDetails;
  "device.throttled": { retryAfterS: number };
  "device.notFound": NoDetails;
  "device.decided": NoDetails;
  "device.pending": NoDetails;
  "device.slowDown": { intervalS: number };
  "device.denied": NoDetails;
  "device.expired": NoDetails;
  "device.invalidCode": NoDetails;
  "device.grantType": NoDetails;
}

export const peopleAnswers: Answers<PeopleErrors> = {
  "user.notFound": { status: 404, describe: ({ email }) => `There is no user ${email}.` },
  "user.exists": { status: 409, describe: ({ email }) => `There is already a user ${email}.` },
  "user.usernameTaken": {
    status: 409,
    describe: ({ username }) =>
      `The username ${username} is in use in this workspace, or a former member still owns scripts, flows, files and runs at u/${username}/. Send another username, or ask an administrator to give you this one.`,
  },
  "user.lastAdmin": { status: 400, describe: () => "This is the last superadmin. Make another user a superadmin first." },
  "user.invalidPassword": { status: 400, describe: ({ reason }) => `The password cannot be set: ${reason}` },
  "user.oldPassword": {
    status: 403,
    describe: () => "The old password is missing or wrong. Send your current password as 'old_password'.",
  },
  "member.notFound": { status: 404, describe: ({ username }) => `There is no user ${username} in this workspace.` },
  "member.exists": { status: 409, describe: ({ email }) => `${email} is already a member of this workspace.` },
  "invite.notFound": { status: 404, describe: ({ workspace }) => `You have no invitation to the workspace ${workspace}.` },
  "group.notFound": { status: 404, describe: ({ name }) => `There is no group ${name}.` },
  "group.exists": { status: 409, describe: ({ name }) => `The group ${name} already exists.` },
  "group.former": {
    status: 409,
    describe: ({ name }) =>
      `A new group ${name} would inherit permissions, or the approvals of flows that name a deleted group. Choose another name, or ask an administrator of the workspace to create it.`,
  },
  "group.all": { status: 400, describe: () => "The group 'all' always contains every user. It cannot be changed or deleted." },
  "access.notFound": { status: 404, describe: ({ kind, path }) => `There is no ${kind.replace(/_$/, "")} at ${path}.` },
  "access.changedMeanwhile": {
    status: 409,
    describe: () => "Another request changed the permissions of this workspace at the same time. Try again.",
  },
  "access.tooMuch": {
    status: 400,
    describe: () => "The workspace has too many permissions. Grant rights to groups and folders instead of single users and objects.",
  },
  "access.owner": { status: 422, describe: ({ owner }) => `${owner} is not a valid owner. Send u/<username> or g/<group>.` },
  "login.refused": { status: 401, describe: () => "The e-mail address or the password is wrong." },
  "login.throttled": {
    status: 429,
    describe: ({ retryAfterS }) =>
      `Too many sign-ins of this account or from your address failed. Try again in ${retryAfterS} second${retryAfterS === 1 ? "" : "s"}.`,
  },
  "login.otherSite": {
    status: 403,
    describe: () => "A page of another site sent this sign-in. Sign in on a page of this service, or from a program.",
  },
  "login.unknown": { status: 404, describe: ({ client }) => `There is no login ${client}. GET /api/oauth/list_logins lists them.` },
  "login.notBegun": {
    status: 400,
    describe: ({ client }) =>
      `This sign-in was started in another browser, is already complete, or took longer than ten minutes. Start again at /api/oauth/login/${client}.`,
  },
  "login.notConfirmed": {
    status: 401,
    describe: ({ client, reason }) => `${client} did not confirm your identity (${reason}). Start again at /api/oauth/login/${client}.`,
  },
  "login.unverified": {
    status: 403,
    describe: ({ client }) => `${client} has not verified your e-mail address. Verify it there, then sign in again.`,
  },
  "login.denied": {
    status: 403,
    describe: ({ email }) => `${email} is not allowed to sign in here. Ask an administrator for an invitation.`,
  },
  "login.unreachable": { status: 502, describe: ({ client }) => `${client} does not respond. Try again, or sign in another way.` },
  "connect.unknown": { status: 404, describe: ({ client }) => `There is no client ${client}. See /api/oauth/list_connects.` },
  "connect.notBegun": {
    status: 400,
    describe: ({ client }) => `This connection to ${client} belongs to another browser or user, is complete, or took over ten minutes.`,
  },
  "connect.notConfirmed": {
    status: 400,
    describe: ({ client, reason }) => `${client} issued no token (${reason}). Connect again.`,
  },
  "connect.unreachable": { status: 502, describe: ({ client }) => `${client} does not respond as expected.` },
  "account.notFound": { status: 404, describe: ({ account }) => `There is no account ${account}.` },
  "account.token": {
    status: 400,
    describe: () => "The refresh_token is not yours, or is older than ten minutes.",
  },
  "account.notRefreshed": {
    status: 409,
    describe: ({ account, reason }) => `The token of account ${account} was not refreshed: ${reason}.`,
  },
  "account.busy": { status: 409, describe: ({ account }) => `Account ${account} is being refreshed. Try again in a minute.` },
  "login.noPasswords": { status: 400, describe: () => "Sign-in with a password is turned off in this deployment. Use a token." },
  "token.notFound": { status: 404, describe: ({ prefix }) => `You have no token that starts with ${prefix}.` },
  "token.ambiguous": {
    status: 400,
    describe: ({ prefix }) => `More than one token starts with ${prefix}. Send at least its first ten characters.`,
  },
  "token.notForJobs": { status: 403, describe: () => "A job's token cannot create or delete tokens." },
  "token.unknownScope": {
    status: 422,
    describe: ({ scope }) => `There is no scope ${scope}. GET /api/tokens/list/scopes lists all scopes; a path may follow after a colon.`,
  },
  "token.tooWide": {
    status: 403,
    describe: () => "A token cannot create or change a token that has more rights than itself or is valid for longer.",
  },
  "token.changedMeanwhile": { status: 409, describe: () => "Another request changed this token at the same time. Try again." },
  "device.throttled": {
    status: 429,
    describe: ({ retryAfterS }) => `There were too many attempts. Try again in ${retryAfterS} second${retryAfterS === 1 ? "" : "s"}.`,
  },
  "device.notFound": { status: 404, describe: () => "This code is wrong or has expired. Check it, or start again on your device." },
  "device.decided": { status: 409, describe: () => "This code has already been used. Start again on your device to get a new one." },
  "device.pending": { status: 400, describe: () => "The user has not decided yet. Ask again after the interval." },
  "device.slowDown": {
    status: 400,
    describe: ({ intervalS }) =>
      `The user has not decided yet, and this request came too early. Wait ${intervalS} seconds between requests.`,
  },
  "device.denied": { status: 400, describe: () => "The user refused this sign-in, or may not sign in." },
  "device.expired": { status: 400, describe: () => "The code has expired. Start again." },
  "device.invalidCode": { status: 400, describe: () => "The device code is unknown, or its token was handed out already." },
  "device.grantType": {
    status: 400,
    describe: () => "The field 'grant_type' must be 'urn:ietf:params:oauth:grant-type:device_code'.",
  },
};
