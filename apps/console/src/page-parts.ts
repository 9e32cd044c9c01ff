import { type Child, h, newId } from './dom.js';
import { icon } from './icons.js';

/** A card with a heading. `aside`: what stands beside the heading. */
export function section(
  title: string,
  { aside, name }: { aside?: Child; name: string },
  ...children: Child[]
): HTMLElement {
  const id = newId(name);
  return h(
    'section',
    { class: `card part part-${name}`, 'aria-labelledby': id, 'data-part': name },
    h('header', { class: 'split' }, h('h2', { id }, title), aside),
    ...children,
  );
}

/** Leads to the list that something is of. */
export const backLink = (href: string, label: string): HTMLElement =>
  h('a', { class: 'back', href }, icon('back'), label);

/** Names with values. */
export const facts = (all: readonly (readonly [name: string, value: Child])[], kind = ''): HTMLElement =>
  h(
    'dl',
    { class: `facts ${kind}`.trim() },
    all.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );

/** A value as indented JSON under a small heading. */
export const jsonBlock = (title: string, value: unknown): HTMLElement =>
  h(
    'div',
    { class: 'json' },
    h('h4', null, title),
    h(
      'pre',
      { tabindex: 0, role: 'region', 'aria-label': title },
      h('code', null, JSON.stringify(value, null, 2) ?? 'null'),
    ),
  );
