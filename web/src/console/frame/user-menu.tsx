import { Button, Menu, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { signOut } from "../../shared/service.ts";
import { frameText } from "../messages/frame.ts";

const schemes = ["light", "dark", "auto"] as const;

export function UserMenu({ username }: { username: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = async () => {
    await signOut();
    queries.clear();
    await navigate({ to: "/login" });
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" className="user-button">
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{frameText.theme}</Menu.Label>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            rightSection={colorScheme === scheme ? "✓" : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {frameText.themes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>{frameText.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
