/** `vite.config.ts` makes this module from the Markdown of `docs/`. */
declare module "virtual:guides" {
  const guides: readonly import("../../../../lib/api/guides.ts").GuideEntry[];
  export default guides;
}
