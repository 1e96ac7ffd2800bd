import { useQuery } from "@tanstack/react-query";
import { basePath } from "../../shared/base-path.ts";
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

/** The guides and headings that match a text, as entries of the command palette. They are loaded when it opens. */
export function useGuides(text: string): readonly GuideEntry[] {
  const guides = useQuery({
    queryKey: ["guides"],
    queryFn: async () => (await import("../data/guides.ts")).default,
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
  const needle = text.toLowerCase();
  return needle === "" ? none : (guides.data ?? none).filter(({ label }) => label.toLowerCase().includes(needle)).slice(0, MOST_SHOWN);
}
