import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { sendAsStranger } from "../../../shared/service.ts";
import { Failed } from "../../frame/panel.tsx";
import { routesText as text } from "../../messages/objects/routes.ts";
import { copyText } from "../../parts/copy.ts";
import { Example } from "../../parts/stored/example.tsx";
import { addressOf, type HttpRoute, parseHeaders, toCurl, variableParts } from "./route.ts";

interface TestRouteProps {
  workspace: string;
  route: HttpRoute;
  onClose: () => void;
}

interface RouteReply {
  status: number;
  headers: string;
  body: string;
}

const MOST_SHOWN = 100_000;

/** Sends a request to a route as its callers do: without the session of the user. */
export function TestRoute({ workspace, route, onClose }: TestRouteProps) {
  const { http_method: method, route_path, workspaced_route: isWorkspaced } = route;
  const [parts, setParts] = useState<Readonly<Record<string, string>>>({});
  const [query, setQuery] = useState("");
  const [headerLines, setHeaderLines] = useState(method === "get" ? "" : "Content-Type: application/json");
  const [body, setBody] = useState("");
  const address = addressOf({ workspace, route: route_path, isWorkspaced, parts, query });
  const headers = parseHeaders(headerLines);
  const hasBody = method !== "get" && body !== "";
  const send = useMutation({
    gcTime: 0,
    mutationFn: async (): Promise<RouteReply> => {
      const reply = await sendAsStranger({ address, method: method.toUpperCase(), headers, body: hasBody ? body : undefined });
      const shown = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      return { status: reply.status, headers: shown, body: (await reply.text()).slice(0, MOST_SHOWN) };
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  const curl = () => toCurl({ method, url: `${location.origin}${address}`, headers, body: hasBody ? body : "" });
  return (
    <Modal opened onClose={onClose} title={text.testTitle(`${method.toUpperCase()} ${route_path}`)} size="lg" closeOnClickOutside={false}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{text.testWhy}</Text>
          <code className="path">{address}</code>
          {variableParts(route_path).map((name) => (
            <TextInput
              key={name}
              label={name}
              required
              withAsterisk={false}
              value={parts[name] ?? ""}
              onChange={({ target }) => setParts({ ...parts, [name]: target.value })}
            />
          ))}
          <TextInput label={text.query} placeholder={text.queryHelp} value={query} onChange={({ target }) => setQuery(target.value)} />
          <Textarea
            label={text.headers}
            description={text.headersHelp}
            rows={2}
            spellCheck={false}
            autoComplete="off"
            value={headerLines}
            onChange={({ target }) => setHeaderLines(target.value)}
          />
          {method !== "get" && (
            <Textarea label={text.body} rows={4} spellCheck={false} value={body} onChange={({ target }) => setBody(target.value)} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => void copyText(curl())}>
              {text.copyCurl}
            </Button>
            <Button type="submit" color="blue.8" loading={send.isPending}>
              {text.send}
            </Button>
          </Group>
          {send.error && <Failed error={send.error} />}
          {send.data && (
            <section aria-label={text.reply}>
              <Text fw={600} role="status">
                {send.data.status}
              </Text>
              <Example label={text.headers} text={send.data.headers} />
              <Example label={text.body} text={send.data.body} />
            </section>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
