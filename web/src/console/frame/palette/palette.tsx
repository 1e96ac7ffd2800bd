import { Button, Kbd, Modal } from "@mantine/core";
import { type ComponentType, useCallback, useEffect, useState } from "react";
import { frameText } from "../../messages/frame.ts";
import { notifications } from "../notifications.tsx";

/** Opens a page, an item or a run by a part of its name. */
export function Palette() {
  const [Search, setSearch] = useState<ComponentType<{ onClose: () => void }>>();
  const [isOpen, setIsOpen] = useState(false);
  // The dialog opens together with its field, so that no key is lost that is typed into it.
  const open = useCallback(async () => {
    try {
      const { default: loaded } = await import("./palette-search.tsx");
      setSearch(() => loaded);
      setIsOpen(true);
    } catch {
      notifications.show({ message: frameText.failedWhy });
    }
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void open();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [open]);
  return (
    <>
      <Button className="palette-button" variant="default" size="xs" rightSection={<Kbd size="xs">Ctrl K</Kbd>} onClick={() => void open()}>
        {frameText.paletteButton}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={frameText.palette} size="lg">
        {Search && <Search onClose={() => setIsOpen(false)} />}
      </Modal>
    </>
  );
}
