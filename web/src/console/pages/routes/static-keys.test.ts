import { expect, it } from "vitest";
import { isHidden, keyOfFile, keyOfSiteFile } from "./static-keys.ts";

const fileAt = (webkitRelativePath: string) => ({ name: webkitRelativePath.split("/").at(-1) ?? "", webkitRelativePath });

it("the files of a chosen folder keep their places below the folder of the website", () => {
  expect(keyOfSiteFile("f/site/shop/", fileAt("dist/assets/app.js"))).toBe("f/site/shop/assets/app.js");
  expect(keyOfSiteFile("/f/site/shop", fileAt("dist/index.html"))).toBe("f/site/shop/index.html");
  expect(keyOfSiteFile("f/site/shop", { name: "a.txt", webkitRelativePath: "" })).toBe("f/site/shop/a.txt");
});

it("a file has the entered key, or its own name in the entered folder", () => {
  expect(keyOfFile("f/site/report.pdf", { name: "new.pdf" })).toBe("f/site/report.pdf");
  expect(keyOfFile("f/site/", { name: "new.pdf" })).toBe("f/site/new.pdf");
});

it("hidden files of a folder are not uploaded, except for those that browsers request", () => {
  expect(["a/.git/config", "a/.DS_Store", "a/.well-known/x", "a/b.txt"].map((path) => isHidden(fileAt(path)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
