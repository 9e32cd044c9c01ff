import {
  attribute,
  elementsIn,
  ELEMENT,
  type HtmlElement,
  type HtmlNode,
  nameOf,
  rename,
  replaceWithAll,
  roleOf,
  TEXT,
} from './html-dom.js';
import { isStrikingStyle, shiftOfStyle } from './html-styles.js';
import { BASELINE_MARKS, contactOf, LEFT_OUT } from '../text/text-marks.js';

const STRUCK = new Set(['DEL', 'S', 'STRIKE']);

/**
 * Writes what elements and attributes say into the text of a page, before its parts are chosen: raised and lowered numbers, the contacts of
 * links, the states of boxes, readings of ruby, protected mail addresses. Struck text is removed.
 */
export function writeMeaning(root: HtmlNode): void {
  for (const element of elementsIn(root)) if (nameOf(element) === SHADOW_ROOT) fillSlots(element);
  const spelledRubies = new Map<HtmlElement, boolean>();
  for (const element of elementsIn(root)) writeElement(element, spelledRubies);
}

/** `spelledRubies`: whether the parent of a reading has its own parentheses for browsers without ruby. */
function writeElement(element: HtmlElement, spelledRubies: Map<HtmlElement, boolean>): void {
  const name = nameOf(element);
  const style = attribute(element, 'style');
  if (STRUCK.has(name) || isStrikingStyle(style)) return element.replaceWith(LEFT_OUT);
  if (element.getAttribute(PROTECTED) !== null) return element.replaceWith(addressOf(attribute(element, PROTECTED)));
  const shift = name === 'SUP' ? 'raised' : name === 'SUB' ? 'lowered' : shiftOfStyle(style);
  if (shift === 'raised' && isNoteLink(element)) surround(element, '[', ']');
  if (shift) surround(element, BASELINE_MARKS[shift], BASELINE_MARKS.end);
  if (name === 'A') element.append(contactOf(hrefOf(element)));
  else if (name === 'INPUT' || /^(?:checkbox|radio)$/.test(roleOf(element))) writeBox(element, name);
  else if (name === 'RT' && !hasParentheses(element.parentNode, spelledRubies)) surround(element, '(', ')');
}

function surround(element: HtmlElement, before: string, after: string): void {
  element.prepend(before);
  element.append(after);
}

function hasParentheses(ruby: HtmlElement | null, known: Map<HtmlElement, boolean>): boolean {
  if (!ruby) return false;
  let has = known.get(ruby);
  if (has === undefined) {
    has = [...ruby.children].some((child) => nameOf(child) === 'RP');
    known.set(ruby, has);
  }
  return has;
}

/** `<sup><a href="#note-1">1</a></sup>` is a note, whatever is before it, and so is a link that has only the number. */
function isNoteLink(element: HtmlElement): boolean {
  if (!/^\s*\d{1,3}\s*$/.test(charactersOf(element))) return false;
  const { parentNode } = element;
  const links = parentNode && isAlone(element) ? [parentNode, ...elementsIn(element)] : elementsIn(element);
  return links.some((link) => nameOf(link) === 'A' && attribute(link, 'href').includes('#'));
}

/** Whether the siblings of the element have no characters. */
function isAlone(element: HtmlElement): boolean {
  for (let node = element.previousSibling; node; node = node.previousSibling) if (hasCharacters(node)) return false;
  for (let node = element.nextSibling; node; node = node.nextSibling) if (hasCharacters(node)) return false;
  return true;
}

function hasCharacters(node: HtmlNode): boolean {
  if (node.nodeType === TEXT) return /\S/.test(node.nodeValue ?? '');
  if (node.nodeType !== ELEMENT) return false;
  for (const child of node.childNodes) if (hasCharacters(child)) return true;
  return false;
}

function charactersOf(node: HtmlNode): string {
  if (node.nodeType === TEXT) return node.nodeValue ?? '';
  return node.nodeType === ELEMENT ? Array.from(node.childNodes, charactersOf).join('') : '';
}

/** Cloudflare's "Email Address Obfuscation": the first byte is the key of the others. */
const PROTECTED = 'data-cfemail';

function addressOf(code: string): string {
  const bytes = Buffer.from(/^(?:[\da-f]{2}){2,250}$/i.test(code) ? code : '', 'hex');
  const [key = 0] = bytes;
  return Buffer.from(bytes.subarray(1).map((byte) => byte ^ key)).toString();
}

function hrefOf(link: HtmlElement): string {
  const href = attribute(link, 'href');
  const code = /\/cdn-cgi\/l\/email-protection#([\da-f]{4,500})/i.exec(href)?.[1];
  return code === undefined ? href : `mailto:${addressOf(code)}`;
}

/** Other boxes are switches of menus and accordions, which style sheets hide. */
const BOX_PARENTS = new Set(['LI', 'TD', 'TH', 'LABEL', 'P', 'DT', 'DD']);

/** Writes the state of a check box or a radio button as Markdown does. */
function writeBox(element: HtmlElement, name: string): void {
  if (name !== 'INPUT') {
    const state = attribute(element, 'aria-checked').toLowerCase();
    if (state === 'true' || state === 'false') element.prepend(boxText(state === 'true'));
    return;
  }
  if (!/^(?:checkbox|radio)$/i.test(attribute(element, 'type'))) return;
  const isShown =
    element.getAttribute('disabled') !== null || BOX_PARENTS.has(element.parentNode ? nameOf(element.parentNode) : '');
  if (isShown) element.before(boxText(element.getAttribute('checked') !== null));
}

const boxText = (isChecked: boolean): string => (isChecked ? '[x] ' : '[ ] ');

/** The name that `withoutNoise` gives to the template of a declarative shadow root. */
const SHADOW_ROOT = 'SHADOW-ROOT';

/** Puts the children of a host where its shadow root shows them; the others are not shown. */
function fillSlots(shadow: HtmlElement): void {
  const host = shadow.parentNode;
  if (!host) return;
  const waiting = new Map<string, HtmlNode[]>();
  for (const child of [...host.childNodes]) {
    if (child === shadow) continue;
    const name = child.nodeType === ELEMENT ? attribute(child, 'slot') : '';
    const others = waiting.get(name);
    if (others) others.push(child);
    else waiting.set(name, [child]);
    (child as HtmlElement).remove();
  }
  for (const slot of elementsIn(shadow).filter((element) => nameOf(element) === 'SLOT')) {
    const name = attribute(slot, 'name');
    const assigned = waiting.get(name);
    waiting.delete(name);
    replaceWithAll(slot, assigned ?? [...slot.childNodes]);
  }
  rename(shadow, 'div');
}
