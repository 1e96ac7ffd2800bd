import { Button, Combobox, Kbd, Modal, ScrollArea, useCombobox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useNearestWorkspace } from "../data/me.ts";
import { frameText } from "../messages/frame.ts";
import { useGuides } from "./guides.ts";
import { pages } from "./navigation.tsx";

interface Entry {
  id: string;
  label: string;
  open: () => void;
}

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** More entries would not be read. A longer search text shows fewer. */
const MOST_SHOWN = 50;

/** Opens a page, an item or a run by a part of its name. */
export function Palette() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <Button
        className="palette-button"
        variant="default"
        size="xs"
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={() => setIsOpen(true)}
      >
        {frameText.paletteButton}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={frameText.palette} size="lg">
        <Search onChosen={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

function Search({ onChosen }: { onChosen: () => void }) {
  const [text, setText] = useState("");
  const combobox = useCombobox({ opened: true });
  const guides = useGuides(text.trim());
  const entries = [...useEntries(text.trim()), ...guides];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text shows other entries
  useEffect(() => void combobox.selectFirstOption(), [text]);
  return (
    <Combobox
      store={combobox}
      withinPortal={false}
      onOptionSubmit={(id) => {
        onChosen();
        entries.find((entry) => entry.id === id)?.open();
      }}
    >
      <Combobox.EventsTarget>
        <input
          className="palette-input"
          data-autofocus
          aria-label={frameText.paletteSearch}
          placeholder={frameText.paletteSearch}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Combobox.EventsTarget>
      <ScrollArea.Autosize mah="50vh" type="auto">
        <Combobox.Options aria-label={frameText.palette} mt="xs">
          {entries.map(({ id, label }) => (
            <Combobox.Option key={id} value={id}>
              {label}
            </Combobox.Option>
          ))}
          {entries.length === 0 && <Combobox.Empty>{frameText.paletteEmpty}</Combobox.Empty>}
        </Combobox.Options>
      </ScrollArea.Autosize>
    </Combobox>
  );
}

function useEntries(text: string): Entry[] {
  const workspace = useNearestWorkspace();
  const navigate = useNavigate();
  const needle = text.toLowerCase();
  const named = pages.map(({ name, to }) => ({
    id: `page ${name}`,
    label: frameText.pages[name],
    open: () => void navigate({ to, params: { ws: workspace } }),
  }));
  const found = named.filter(({ label }) => label.toLowerCase().includes(needle)).slice(0, MOST_SHOWN);
  if (!RUN_ID.test(needle)) return found;
  const run = { to: "/w/$ws/runs/$id", params: { ws: workspace, id: needle } } as const;
  return [{ id: `run ${needle}`, label: frameText.paletteRun(needle), open: () => void navigate(run) }, ...found];
}
