// Mantine's order, because later files override earlier ones.
import "../shared/mantine.ts";
import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/ScrollArea.css";
import "@mantine/core/styles/Kbd.css";
import "@mantine/core/styles/ColorSwatch.css";
import "@mantine/core/styles/Combobox.css";
import "@mantine/core/styles/Menu.css";
import "@mantine/core/styles/Notification.css";
import "@mantine/core/styles/Skeleton.css";
import "@mantine/core/styles/Switch.css";
import "@mantine/core/styles/Table.css";
import "@mantine/core/styles/Tabs.css";
import "@mantine/notifications/styles.css";
import "../shared/page.css";
import "./console.css";
