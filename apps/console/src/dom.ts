/** Content of an element; strings become text, never HTML. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

type Value = string | number | boolean | null | undefined;
type Handler = (event: never) => void;

/** `class`, `aria-label`, `href`, …; a function under `onclick` listens for `click`. false, null and undefined: left out. */
type Attributes = Readonly<Record<string, Value | Handler>>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  decorate(element, attributes);
  append(element, children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes | null = null,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  decorate(element, attributes);
  append(element, children);
  return element;
}

function decorate(element: Element, attributes: Attributes | null): void {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child as readonly Child[]);
    else if (child instanceof Node) parent.append(child);
    else if (typeof child === 'string' || typeof child === 'number') parent.append(String(child));
  }
}

/** Replaces all children. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

let count = 0;
/** A unique id for references such as `for` and `aria-describedby`. */
export const newId = (name: string): string => `${name}-${(count += 1)}`;

/** Sets styles through CSSOM, which a content security policy without `unsafe-inline` permits. */
export function styled<E extends HTMLElement>(element: E, properties: Readonly<Record<string, string>>): E {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}
