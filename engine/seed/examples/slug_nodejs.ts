// Any npm package works; a version in the import pins it.
import slugify from "slugify@1.6.6";

export async function main(title: string = "Ça marche: an npm package in one line") {
  return { title, slug: slugify(title, { lower: true, strict: true }) };
}
