import { attribute, elementsIn, type HtmlElement, type HtmlNode, labelOf, nameOf } from './html-dom.js';

const MARKER = 'data-list-marker';

/** The number of a list item as a browser shows it ("3."), empty if the text begins with it, undefined without one. */
export const markerOf = (item: HtmlNode): string | undefined => item.getAttribute?.(MARKER) ?? undefined;

/** Numbers the items of ordered lists before Readability removes items and styles. */
export function numberItems(root: HtmlNode): void {
  for (const list of elementsIn(root)) if (nameOf(list) === 'OL') numberList(list);
}

function numberList(list: HtmlElement): void {
  const items = [...list.children].filter((child) => nameOf(child) === 'LI');
  const step = list.getAttribute('reversed') === null ? 1 : -1;
  let number = integer(attribute(list, 'start')) ?? (step > 0 ? 1 : items.length);
  const style = styleOf(list);
  for (const item of items) {
    number = integer(attribute(item, 'value')) ?? number;
    const marker = `${format(number, styleOf(item, style))}.`;
    if (style !== 'none') item.setAttribute(MARKER, isNumbered(item, marker) ? '' : marker);
    number += step;
  }
}

function integer(text: string): number | undefined {
  return /^[-+]?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The author typed the number, too. */
function isNumbered(item: HtmlElement, marker: string): boolean {
  const typed = /^\(?(\w{1,6})[.):]\)?\s/.exec(labelOf(item, 20))?.[1];
  return typed !== undefined && `${typed}.`.toLowerCase() === marker.toLowerCase();
}

type Style = 'a' | 'A' | 'i' | 'I' | '1' | 'none';

const NAMED_STYLES: [RegExp, Style][] = [
  [/lower-?(?:alpha|latin)/, 'a'],
  [/upper-?(?:alpha|latin)/, 'A'],
  [/lower-?roman/, 'i'],
  [/upper-?roman/, 'I'],
];

/** From `type`, an inline style or a class as `lower-alpha`. */
function styleOf(element: HtmlElement, inherited: Style = '1'): Style {
  const css = /list-style(?:-type)?\s*:\s*([^;]+)/i.exec(attribute(element, 'style'))?.[1] ?? '';
  if (/\bnone\b/i.test(css)) return 'none';
  const named = NAMED_STYLES.find(([name]) => name.test(`${css} ${attribute(element, 'class')}`.toLowerCase()));
  const type = attribute(element, 'type');
  if (named) return named[1];
  return /^[aAiI1]$/.test(type) ? (type as Style) : inherited;
}

function format(number: number, style: Style): string {
  if (number > 0 && /a/i.test(style)) return cased(letters(number), style);
  if (number > 0 && number < 4_000 && /i/i.test(style)) return cased(roman(number), style);
  return `${number}`;
}

const cased = (text: string, style: Style): string => (/[AI]/.test(style) ? text.toUpperCase() : text);

/** a, b, …, z, aa, ab. */
function letters(number: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(number: number): string {
  let text = '';
  let rest = number;
  for (const [value, digits] of ROMAN) for (; rest >= value; rest -= value) text += digits;
  return text;
}
