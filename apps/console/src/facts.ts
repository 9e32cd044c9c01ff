import { type Child, h } from './dom.js';

/** Names with values. */
export const facts = (all: readonly (readonly [name: string, value: Child])[], kind = ''): HTMLElement =>
  h(
    'dl',
    { class: `facts ${kind}`.trim() },
    all.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );
