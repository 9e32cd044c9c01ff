/** The used part of a DOM node; linkedom's types require the DOM library of a browser. */
export interface HtmlNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  childNodes: Iterable<HtmlNode>;
  previousSibling: HtmlNode | null;
  nextSibling: HtmlNode | null;
  getAttribute?(name: string): string | null;
}

export interface HtmlElement extends HtmlNode {
  parentNode: HtmlElement | null;
  nextElementSibling: HtmlElement | null;
  children: Iterable<HtmlElement>;
  ownerDocument: { createElement(name: string): HtmlElement };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...nodes: (HtmlNode | string)[]): void;
  prepend(...nodes: (HtmlNode | string)[]): void;
  before(...nodes: (HtmlNode | string)[]): void;
  after(...nodes: HtmlNode[]): void;
  replaceWith(...nodes: (HtmlNode | string)[]): void;
  remove(): void;
}

export const ELEMENT = 1;
export const TEXT = 3;
/** Elements without text. A button that opens a section has become a heading before (see `openSections`). */
export const SILENT = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG HEAD IFRAME OBJECT SELECT BUTTON CANVAS TITLE'.split(' '),
);
/** Elements inside a line; all others begin a new one. */
export const INLINE = new Set(
  'A ABBR ACRONYM B BDI BDO BIG CITE CODE DATA DEL DFN EM FONT I IMG INPUT INS KBD LABEL MARK Q RUBY RP RT S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR'.split(
    ' ',
  ),
);

/** On the first element of a section, which may have text before its heading. */
export const SECTION_START = 'data-section-start';
/** The level of the heading whose section ends with the element. */
export const SECTION_END = 'data-section-end';

export const nameOf = (node: HtmlNode): string => node.nodeName.toUpperCase();

export const attribute = (node: HtmlNode, name: string): string => node.getAttribute?.(name)?.trim() ?? '';

export const roleOf = (node: HtmlNode): string => attribute(node, 'role').toLowerCase();

/** The level of a heading, 0 for other elements. */
export function headingLevel(node: HtmlNode): number {
  return Number(/^H([1-6])$/i.exec(node.nodeName)?.[1] ?? 0);
}

export function textOf(node: HtmlNode): string {
  if (node.nodeType === TEXT) return node.nodeValue ?? '';
  const name = nameOf(node);
  if (name === 'BR') return '\n';
  if (node.nodeType !== ELEMENT || SILENT.has(name)) return '';
  const text = Array.from(node.childNodes, textOf).join('');
  return INLINE.has(name) || name === 'PRE' ? text : `${text}\n`;
}

/** The elements inside a node, in document order. */
export function elementsIn(node: HtmlNode): HtmlElement[] {
  const found: HtmlElement[] = [];
  const visit = (parent: HtmlNode): void => {
    for (const child of parent.childNodes) {
      if (child.nodeType !== ELEMENT) continue;
      found.push(child as HtmlElement);
      visit(child);
    }
  };
  visit(node);
  return found;
}

/** The element and its ancestors, nearest first. */
export function* lineageOf(element: HtmlElement): Generator<HtmlElement> {
  for (let node: HtmlElement | null = element; node?.nodeType === ELEMENT; node = node.parentNode) yield node;
}

export const closest = (element: HtmlElement, matches: (node: HtmlElement) => boolean): HtmlElement | undefined => {
  for (const node of lineageOf(element)) if (matches(node)) return node;
  return undefined;
};

/** Appends nodes one by one: the arguments of a call are limited. */
export function appendAll(parent: HtmlElement, nodes: readonly HtmlNode[]): void {
  for (const node of nodes) parent.append(node);
}

export function replaceWithAll(element: HtmlElement, nodes: readonly HtmlNode[]): void {
  for (const node of nodes) element.before(node);
  element.remove();
}

/** Replaces an element by one with another name and the same content, without its attributes. */
export function rename(element: HtmlElement, name: string): HtmlElement {
  const replacement = element.ownerDocument.createElement(name);
  appendAll(replacement, [...element.childNodes]);
  element.replaceWith(replacement);
  return replacement;
}

/**
 * The visible text, buttons included, at least its first `limit` characters: the running time does not grow with the
 * element.
 */
export function labelOf(node: HtmlNode, limit = 400): string {
  let text = '';
  // Looking at the end of the text would copy it each time.
  let isSpaced = true;
  const append = (part: string): void => {
    const words = part.replace(/\s+/g, ' ').slice(isSpaced && /^\s/.test(part) ? 1 : 0);
    if (words === '') return;
    text += words;
    isSpaced = words.endsWith(' ');
  };
  const visit = (child: HtmlNode): void => {
    // One more for a space at the end.
    if (text.length > limit + 1) return;
    if (child.nodeType === TEXT) append(child.nodeValue ?? '');
    if (child.nodeType !== ELEMENT) return;
    const name = nameOf(child);
    if (name !== 'BUTTON' && SILENT.has(name)) return;
    if (child.getAttribute?.('data-nosnippet') != null || attribute(child, 'aria-hidden') === 'true') return;
    for (const inner of child.childNodes) visit(inner);
    if (!INLINE.has(name)) append(' ');
  };
  for (const child of node.childNodes) visit(child);
  return text.trim();
}

/** Characters of all text, hidden or not, without white space. */
export function lengthOf(node: HtmlNode): number {
  if (node.nodeType === TEXT) return (node.nodeValue ?? '').replace(/\s+/g, '').length;
  if (SILENT.has(nameOf(node))) return 0;
  let length = 0;
  for (const child of node.childNodes) length += lengthOf(child);
  return length;
}

/** The size of a page in terms of Readability's running time. */
interface PageSize {
  nodes: number;
  /** Largest number of children of a node. A text counts once per entity, because serialising and parsing splits it there. */
  siblings: number;
}

export function sizeOf(node: HtmlNode): PageSize {
  const size = { nodes: 1, siblings: 0 };
  let children = 0;
  for (const child of node.childNodes) {
    const inner = sizeOf(child);
    children += child.nodeType === TEXT ? (child.nodeValue ?? '').split(/[&<>\u00a0]/).length : 1;
    size.nodes += inner.nodes;
    size.siblings = Math.max(size.siblings, inner.siblings);
  }
  return { nodes: size.nodes, siblings: Math.max(size.siblings, children) };
}
