/** A file of a chosen folder, as a browser names it: `site/assets/app.js` in the folder `site`. */
interface ChosenFile {
  name: string;
  webkitRelativePath: string;
}

const withoutSlashes = (key: string) => key.replace(/^\/+|\/+$/g, "");

/** Returns the key at which a file of a website is stored. The name of the chosen folder is not part of it. */
export function keyOfSiteFile(root: string, { name, webkitRelativePath }: ChosenFile): string {
  const below = webkitRelativePath.split("/").slice(1).join("/");
  return [withoutSlashes(root), below || name].filter((part) => part !== "").join("/");
}

/** Returns the key of a single file: the entered one, with the name of the file if the key is that of a folder. */
export const keyOfFile = (key: string, { name }: Pick<ChosenFile, "name">): string =>
  key === "" || key.endsWith("/") ? `${key}${name}` : key;

/** Files that a browser lists in a chosen folder and that belong to no website. */
export const isHidden = ({ name, webkitRelativePath }: ChosenFile): boolean =>
  (webkitRelativePath || name).split("/").some((part) => part.startsWith(".") && part !== ".well-known");
