import DOMPurify from "dompurify";
import { removeStyles } from "./remove-styles.ts";

/** The allowed elements. Elements that load content, imitate the page, or are positioned outside their box are removed. */
const ALLOWED_TAGS = (
  "a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp " +
  "small span strong sub summary sup table tbody td tfoot th thead tr u ul var"
).split(" ");
const ALLOWED_ATTR = ["href", "title", "alt", "src", "width", "height", "colspan", "rowspan", "scope", "start", "open", "lang", "dir"];

DOMPurify.addHook("uponSanitizeAttribute", (element, attribute) => {
  const { attrName, attrValue } = attribute;
  // Images of other servers are removed, because their URLs would reveal that the text is read.
  if (attrName === "src") attribute.keepAttr = element.tagName === "IMG" && /^data:image\//i.test(attrValue);
  if (attrName === "href") attribute.keepAttr = element.tagName === "A" && /^(https?:|mailto:)/i.test(attrValue);
});
DOMPurify.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName === "A" && element.hasAttribute("href")) {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (element.tagName === "IMG" && !element.hasAttribute("alt")) element.setAttribute("alt", "");
});

/** The browser accepts only the output of this function as HTML (trusted types). */
export function sanitized(html: string): TrustedHTML {
  return DOMPurify.sanitize(removeStyles(html), {
    ALLOWED_TAGS,
    ALLOWED_ATTR,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
}
