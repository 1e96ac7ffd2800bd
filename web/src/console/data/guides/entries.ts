interface GuideEntry {
  name: string;
  title: string;
  headings: readonly { id: string; text: string }[];
}

declare const __GUIDES__: readonly GuideEntry[];

/** The titles and headings of the guides. The build replaces the name by the list. It would drop a constant, because nothing but an import on demand uses it. */
export const listGuides = (): readonly GuideEntry[] => __GUIDES__;
