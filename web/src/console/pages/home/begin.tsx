import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { basePath } from "../../../shared/base-path.ts";
import { Refused } from "../../../shared/service.ts";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { Empty, Failed, GuideLink } from "../../frame/panel.tsx";
import { homeText } from "../../messages/home.ts";
import { Section } from "./section.tsx";

const EXAMPLE = `export async function main(name: string) {
  return { greeting: "Hello " + name };
}
`;
const COMMANDS = `svc login ${location.origin}${basePath}
svc script new f/ops/greet
svc sync push`;

/** Shows how to begin, if the person sees no script and no flow in the workspace. */
export default function Begin({ workspace }: { workspace: string }) {
  const member = useMember();
  const first = useQuery({
    queryKey: [workspace, "first item"],
    queryFn: ({ signal }) => call.search.list({ workspace, query: { kinds: "script,flow", per_page: 1 }, signal }),
  });
  if (first.data?.length !== 0) return null;
  if (!isOffered("scripts.create", member)) {
    return (
      <Empty title={homeText.nothingShared} guide="permissions#sources-of-permissions">
        <Text>{homeText.nothingSharedWhy}</Text>
      </Empty>
    );
  }
  return (
    <section aria-label={homeText.begin}>
      <div className="home">
        <Example workspace={workspace} username={member.username} />
        <Section title={homeText.byCommand}>
          <Stack gap="xs" align="flex-start">
            <Text>{homeText.byCommandWhy}</Text>
            <pre className="example">{COMMANDS}</pre>
            <GuideLink guide="sync" />
          </Stack>
        </Section>
        <Section title={homeText.byReading}>
          <Stack gap="xs" align="flex-start">
            <Text>{homeText.byReadingWhy}</Text>
            <GuideLink guide="scripts" />
            <Link to="/w/$ws/flows/new" params={{ ws: workspace }}>
              {homeText.newFlow}
            </Link>
          </Stack>
        </Section>
      </div>
    </section>
  );
}

/** Creates an example script, and opens it. */
function Example({ workspace, username }: { workspace: string; username: string }) {
  const navigate = useNavigate();
  const path = `u/${username}/hello`;
  const create = useMutation({
    mutationFn: async () => {
      const body = { path, summary: homeText.exampleSummary, content: EXAMPLE, language: "bun" } as const;
      try {
        await call.scripts.create({ workspace, body });
      } catch (error) {
        // It exists already, in another tab.
        if (!(error instanceof Refused) || error.code !== "script.pathTaken") throw error;
      }
    },
    onSuccess: () => navigate({ to: "/w/$ws/scripts/$", params: { ws: workspace, _splat: path } }),
  });
  return (
    <Section title={homeText.example}>
      <Stack gap="xs" align="flex-start">
        <Text>{homeText.exampleWhy(path)}</Text>
        {create.error && <Failed error={create.error} guide="scripts#saving" />}
        <Group>
          <Button loading={create.isPending} onClick={() => create.mutate()}>
            {homeText.createExample}
          </Button>
          <Button variant="default" renderRoot={(props) => <Link to="/w/$ws/scripts/new" params={{ ws: workspace }} {...props} />}>
            {homeText.newScript}
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
