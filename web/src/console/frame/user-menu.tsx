import { Button, type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { frameText } from "../messages/frame.ts";
import { useSignOut } from "./sign-out.ts";

const schemes = ["light", "dark", "auto"] as const;

interface UserMenuProps {
  username: string;
  isSuperAdmin: boolean;
}

export function UserMenu({ username, isSuperAdmin }: UserMenuProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" size="xs" className="user-button">
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item renderRoot={(props) => <Link to="/account/$tab" params={{ tab: "tokens" }} {...props} />}>{frameText.account}</Menu.Item>
        {isSuperAdmin && (
          <Menu.Item renderRoot={(props) => <Link to="/instance/$tab" params={{ tab: "webhooks" }} {...props} />}>
            {frameText.instance}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{frameText.theme}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {frameText.themes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>{frameText.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
