import { useQuery } from "@tanstack/react-query";
import { basePath } from "../../shared/base-path.ts";
import { findSections } from "../data/guides/search.ts";
import { frameText } from "../messages/frame.ts";

/** The address of a guide, and of a heading in it. */
export const guideAddress = (guide: string): string => `${basePath}/docs/guide/${guide}`;

interface GuideEntry {
  id: string;
  label: string;
  open: () => void;
}

/** Opens in another tab, so that the page keeps what was typed. */
const open = (guide: string) => void window.open(guideAddress(guide), "_blank", "noopener");

const MOST_SHOWN = 20;
const none: readonly GuideEntry[] = [];

/** The guides and headings that match a text, and then those whose section contains its words, as entries of the command palette. */
export function useGuides(text: string): readonly GuideEntry[] {
  // Both are loaded when the palette opens.
  const guides = useQuery({
    queryKey: ["guides"],
    queryFn: async () => (await import("../data/guides/entries.ts")).listGuides(),
    staleTime: Number.POSITIVE_INFINITY,
    select: (found) =>
      found.flatMap(({ name, title, headings }) => [
        { id: `guide ${name}`, label: frameText.guide(title), open: () => open(name) },
        ...headings.map(({ id, text }) => ({
          id: `guide ${name}#${id}`,
          label: frameText.guide(`${title} › ${text}`),
          open: () => open(`${name}#${id}`),
        })),
      ]),
  });
  const words = useQuery({
    queryKey: ["words of guides"],
    queryFn: async () => (await import("../data/guides/words.ts")).guideWords(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const needle = text.toLowerCase();
  if (needle === "") return none;
  const entries = guides.data ?? none;
  const named = entries.filter(({ label }) => label.toLowerCase().includes(needle));
  const inside = findSections(words.data ?? "", needle).flatMap((section) => entries[section] ?? []);
  return [...new Set([...named, ...inside])].slice(0, MOST_SHOWN);
}
