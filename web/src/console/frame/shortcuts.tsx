import { Kbd, Modal, Table } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useNearestWorkspace } from "../data/me.ts";
import { frameText, shortcutText } from "../messages/frame.ts";
import { pages } from "./navigation.tsx";

/** Keys that open a page after `g`. */
const pageKeys = { h: "home", r: "runs", i: "items", a: "approvals" } as const;
const shown = [
  ["Ctrl K", "palette"],
  ["?", "help"],
  ["g h", "home"],
  ["g r", "runs"],
  ["g i", "items"],
  ["g a", "approvals"],
] as const;

const SEQUENCE_MS = 1_000;
const OPENS = "shortcuts";

/** Opens the dialog with the shortcuts. */
export const openShortcuts = (): void => void document.dispatchEvent(new Event(OPENS));

/** The target of an event in a shadow root is the root's host, so the first element of its path counts. */
const isTyping = ([target]: EventTarget[]) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The shortcuts of every page, and the dialog that lists them. Keys count only while no text is typed. */
export function Shortcuts() {
  const [isOpen, setIsOpen] = useState(false);
  const workspace = useNearestWorkspace();
  const navigate = useNavigate();
  const wentMs = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.composedPath())) return;
      if (event.key === "?") setIsOpen(true);
      if (event.key === "g") wentMs.current = event.timeStamp;
      else if (event.timeStamp - wentMs.current < SEQUENCE_MS && event.key in pageKeys) {
        const page = pages.find(({ name }) => name === pageKeys[event.key as keyof typeof pageKeys]);
        if (page && workspace) void navigate({ to: page.to, params: { ws: workspace } });
      }
    };
    const show = () => setIsOpen(true);
    document.addEventListener("keydown", press);
    document.addEventListener(OPENS, show);
    return () => {
      document.removeEventListener("keydown", press);
      document.removeEventListener(OPENS, show);
    };
  }, [workspace, navigate]);
  return (
    <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={frameText.shortcuts}>
      <Table>
        <Table.Tbody>
          {shown.map(([keys, name]) => (
            <Table.Tr key={name}>
              <Table.Td>
                {keys.split(" ").map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{shortcutText[name]}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
