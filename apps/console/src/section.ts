import { type Child, h, newId } from './dom.js';

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
