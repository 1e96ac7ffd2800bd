import { Button, type MantineColorScheme, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTheme } from "../data/preferences.ts";
import { frameText } from "../messages/frame.ts";
import { useSignOut } from "./sign-out.ts";

const schemes = ["light", "dark", "auto"] as const;

interface UserMenuProps {
  username: string;
  isSuperAdmin: boolean;
}

export function UserMenu({ username, isSuperAdmin }: UserMenuProps) {
  const [scheme, setScheme] = useTheme();
  const leave = useSignOut();
  return (
    <Menu position="bottom-end">
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
        <Menu.RadioGroup value={scheme} onChange={(chosen) => setScheme(chosen as MantineColorScheme)}>
          {schemes.map((each) => (
            <Menu.RadioItem key={each} value={each}>
              {frameText.themes[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>{frameText.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
