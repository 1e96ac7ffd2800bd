import { Button, Kbd, Modal } from "@mantine/core";
import { lazy, Suspense, useEffect, useState } from "react";
import { frameText } from "../messages/frame.ts";
import { Loading } from "./panel.tsx";

const PaletteSearch = lazy(() => import("./palette-search.tsx"));

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
        <Suspense fallback={<Loading />}>
          <PaletteSearch onChosen={() => setIsOpen(false)} />
        </Suspense>
      </Modal>
    </>
  );
}
