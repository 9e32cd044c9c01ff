import { isConcealed, show } from './html-disclosures.js';
import {
  attribute,
  elementsIn,
  ELEMENT,
  type HtmlElement,
  type HtmlNode,
  labelOf,
  lengthOf,
  nameOf,
  roleOf,
} from './html-dom.js';

/** Removes the parts that a visitor does not see or closes first: hidden elements, dialogs, cookie banners. */
export function removeHidden(root: HtmlNode): void {
  const most = lengthOf(root) / 2;
  const visit = (node: HtmlNode): void => {
    for (const child of [...node.childNodes]) {
      if (child.nodeType !== ELEMENT) continue;
      const element = child as HtmlElement;
      if (isUnseen(element) && !isPage(element, most)) {
        element.remove();
        continue;
      }
      // Readability removes what is hidden, also if a search of the browser finds it.
      show(element);
      visit(element);
    }
  };
  visit(root);
}

/** Pages hide themselves until their styles are loaded, and behind an open dialog. */
function isPage(element: HtmlElement, most: number): boolean {
  if (nameOf(element) === 'BODY') return true;
  if (lengthOf(element) < most) return false;
  return ['MAIN', 'ARTICLE'].includes(nameOf(element)) || elementsIn(element).some((inner) => PAGE.test(nameOf(inner)));
}

const PAGE = /^(?:MAIN|ARTICLE|H1)$/;
const DIALOG_CLASS =
  /(?:^|\s)(?:modal fade|modal-dialog|offcanvas(?:-\w+)?|lightbox|skip-?(?:link|nav|to-content)\w*|mw-editsection)(?:$|\s)/i;
const BANNER_NAME =
  /(?:cookie|consent|gdpr)[-_]?(?:law|policy|info)?[-_]?(?:banner|bar|notice|popup|modal|dialog|overlay|layer|box|message|alert|hint|prompt|disclaimer|manager|widget)|^(?:onetrust|ot-sdk|CybotCookiebot|usercentrics|uc-banner|didomi|cmplz|cky-|qc-cmp|iubenda-cs|BorlabsCookie|klaro$|osano|termly|sp_message|truste-consent|fc-consent|cc-window|hs-eu-cookie)/i;

function isUnseen(element: HtmlElement): boolean {
  if (isConcealed(element) || attribute(element, 'aria-modal') === 'true') return true;
  if (/^(?:alert)?dialog$/.test(roleOf(element))) return true;
  if (nameOf(element) === 'DIALOG') return element.getAttribute('open') === null;
  const classes = attribute(element, 'class');
  return DIALOG_CLASS.test(classes) || isBanner(element, classes) || isRepeated(element, classes) || isSign(element);
}

const MAX_BANNER_LENGTH = 3_000;

/** By the names of banners and their vendors; a page about cookies has a heading of the first level or is longer. */
function isBanner(element: HtmlElement, classes: string): boolean {
  const names = [attribute(element, 'id'), ...classes.split(/\s+/)];
  if (/^(?:HTML|BODY|MAIN|ARTICLE|H\d|A)$/.test(nameOf(element)) || !names.some((name) => BANNER_NAME.test(name)))
    return false;
  return (
    labelOf(element, MAX_BANNER_LENGTH).length < MAX_BANNER_LENGTH &&
    !elementsIn(element).some((inner) => PAGE.test(nameOf(inner)))
  );
}

const SCREEN_READER_CLASS =
  /(?:^|[\s-])(?:sr-only|visually-?hidden|screen-reader(?:-text)?|a-offscreen|u-hidden-visually)(?:$|\s)/i;

/** A text for screen readers that the text before or after it shows, too. */
function isRepeated(element: HtmlElement, classes: string): boolean {
  if (!SCREEN_READER_CLASS.test(classes) || !element.parentNode) return false;
  const text = labelOf(element);
  const { previousSibling: before, nextSibling: after } = element;
  return [before, before?.previousSibling, after, after?.nextSibling].some((node) => {
    if (!node || isHiddenNode(node)) return false;
    return (node.nodeType === ELEMENT ? labelOf(node) : (node.nodeValue ?? '').trim()) === text;
  });
}

const isHiddenNode = (node: HtmlNode): boolean => node.nodeType === ELEMENT && isConcealed(node);

/** The link "¶" or "#" of a heading. */
function isSign(element: HtmlElement): boolean {
  if (nameOf(element) !== 'A' || !attribute(element, 'href').includes('#')) return false;
  return /^[#¶§🔗\u200b\s]{1,4}$/u.test(labelOf(element));
}
