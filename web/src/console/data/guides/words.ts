declare const __GUIDE_WORDS__: string;

/** The words of the guides with the sections that contain them (`lib/api/guide-words.ts`). The build replaces the name by the text. */
export const guideWords = (): string => __GUIDE_WORDS__;
