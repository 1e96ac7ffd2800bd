import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { aStack } from "../stack-fixture.ts";

const acme = { name: "acme", displayName: "Acme", issuer: "https://id.acme.example", clientId: "at-acme", clientSecretName: "svc/acme" };
const onAws = aStack({ logins: [acme], loginDomainPrefix: "svc-acme" });
const locally = aStack({ local: true, baseUrl: "http://127.0.0.1:8000", logins: [{ ...acme, issuer: "http://127.0.0.1:9999" }] });

function peopleOf({ template }: typeof onAws) {
  const [found] = Object.values(
    template.findResources("AWS::Lambda::Function", { Properties: { Description: Match.stringLikeRegexp("^svc: workspaces, users") } }),
  );
  return found?.Properties;
}

describe("federated logins", () => {
  it("use the user pool on AWS: a domain, the provider, and a client without other rights", () => {
    const { template } = onAws;
    template.hasResourceProperties("AWS::Cognito::UserPoolDomain", { Domain: "svc-acme" });
    template.hasResourceProperties("AWS::Cognito::UserPoolIdentityProvider", {
      ProviderName: "acme",
      ProviderType: "OIDC",
      ProviderDetails: { oidc_issuer: acme.issuer, client_id: "at-acme", authorize_scopes: "openid email profile" },
      AttributeMapping: { email: "email", email_verified: "email_verified", name: "name" },
    });
    template.hasResourceProperties("AWS::Cognito::UserPoolClient", {
      AllowedOAuthFlows: ["code"],
      AllowedOAuthScopes: ["openid", "email", "profile"],
      GenerateSecret: false,
      SupportedIdentityProviders: ["acme"],
      CallbackURLs: [{ "Fn::Join": ["", Match.arrayWith(["/api/oauth/login_callback/acme"])] }],
    });
    const logins = JSON.stringify(peopleOf(onAws).Environment.Variables.SVC_LOGINS);
    expect(logins).toMatch(/identityProvider.*acme/);
    expect(logins).not.toMatch(/id\.acme\.example|at-acme|svc\/acme/);
  });

  it("refer to the provider's secret in the template without containing it; no function may read it on AWS", () => {
    const text = JSON.stringify(onAws.template.toJSON());
    expect(text).toContain("{{resolve:secretsmanager:svc/acme:SecretString");
    expect(JSON.stringify(onAws.template.findResources("AWS::IAM::Role"))).not.toContain("svc/acme");
  });

  it("contact the provider directly on the local engine, whose user pool has no pages; people may read only that secret", () => {
    locally.template.resourceCountIs("AWS::Cognito::UserPoolIdentityProvider", 0);
    locally.template.resourceCountIs("AWS::Cognito::UserPoolDomain", 0);
    expect(JSON.parse(peopleOf(locally).Environment.Variables.SVC_LOGINS)).toEqual([{ ...acme, issuer: "http://127.0.0.1:9999" }]);
    expect(JSON.stringify(locally.template.findResources("AWS::IAM::Role"))).toContain("secret:svc/acme-??????");
  });

  it("add no resources if none are configured", () => {
    const { template } = aStack({});
    template.resourceCountIs("AWS::Cognito::UserPoolDomain", 0);
    template.resourceCountIs("AWS::Cognito::UserPoolClient", 1);
    expect(peopleOf({ template, findings: [], protection: false }).Environment.Variables).not.toHaveProperty("SVC_LOGINS");
  });

  it("pass cdk-nag", () => {
    expect(onAws.findings).toEqual([]);
    expect(locally.findings).toEqual([]);
  });
});
