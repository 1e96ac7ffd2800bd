import type { BuiltInType } from "../type.ts";
import { flag, number, secret, text } from "./fields.ts";

export const messaging: readonly BuiltInType[] = [
  {
    name: "slack",
    description: "A Slack application in one workspace.",
    schema: {
      type: "object",
      properties: {
        token: secret("Bot token, xoxb-…"),
        signing_secret: secret("Signing secret of the app. Approvals in Slack need it"),
        default_channel: text("Id of the channel for approvals whose flow names none"),
        trust_email: flag("Treat members of the team as the users with their confirmed addresses"),
        api_url: text("Address of the Web API. Default: https://slack.com/api/"),
      },
      required: ["token"],
    },
  },
  {
    name: "discord",
    description: "A Discord bot.",
    schema: {
      type: "object",
      properties: {
        token: secret("Token of the bot"),
        application_id: text("Id of the application. Approvals in Discord need it"),
        public_key: text("Public key of the application. Approvals in Discord need it"),
        default_channel: text("Id of the channel for approvals whose flow names none"),
        api_url: text("Address of the API. Default: https://discord.com/api"),
      },
      required: ["token"],
    },
  },
  {
    name: "discord_webhook",
    description: "A webhook of a Discord channel.",
    schema: {
      type: "object",
      properties: { webhook_url: secret("URL of the webhook. It is secret: it allows anyone to post") },
      required: ["webhook_url"],
    },
  },
  {
    name: "telegram",
    description: "A Telegram bot.",
    schema: { type: "object", properties: { token: secret("Token issued by BotFather") }, required: ["token"] },
  },
  {
    name: "ms_teams_bot",
    description: "A bot in Microsoft Teams, which posts approvals.",
    schema: {
      type: "object",
      properties: {
        app_id: text("Application (client) id of the bot"),
        app_password: secret("Client secret of the bot"),
        tenant_id: text("Id of the Entra tenant"),
        default_channel: text("Id of the channel for approvals whose flow names none"),
        trust_email: flag("Treat members of the tenant as the users whose address is their sign-in name"),
        login_url: text("Address of the sign-in service, of the Bot Framework's keys, and of its servers. Default: those of Microsoft"),
      },
      required: ["app_id", "app_password", "tenant_id"],
    },
  },
  {
    name: "ms_teams_webhook",
    description: "An incoming webhook of a Microsoft Teams channel.",
    schema: {
      type: "object",
      properties: { webhook_url: secret("URL of the webhook. It is secret: it allows anyone to post") },
      required: ["webhook_url"],
    },
  },
  {
    name: "smtp",
    description: "An SMTP server.",
    schema: {
      type: "object",
      properties: {
        host: text("Host name"),
        port: number("Port, usually 465 or 587"),
        user: text("User name"),
        password: secret("Password"),
        secure: flag("Whether the connection uses TLS from the start, as on port 465"),
        from: text("Sender address"),
      },
      required: ["host"],
    },
  },
  {
    name: "sendgrid",
    description: "Mail by SendGrid.",
    schema: { type: "object", properties: { token: secret("API key, SG.…") }, required: ["token"] },
  },
  {
    name: "twilio",
    description: "Messages and calls by Twilio.",
    schema: {
      type: "object",
      properties: { accountSid: text("Account SID, AC…"), token: secret("Auth token"), from: text("Sender number") },
      required: ["accountSid", "token"],
    },
  },
];
