import type { Entry } from './conversation.js';
import { h } from './dom.js';
import { clock, plural } from './format.js';
import { passageView } from './passage-view.js';

type Search = Extract<Entry, { kind: 'search' }>;

/** What the agent looked up during a call, and what it was given. */
export function knowledgeUsed(searches: readonly Search[], agentId: number): HTMLElement {
  if (searches.length === 0)
    return h(
      'p',
      { class: 'muted' },
      'The agent has looked nothing up. ',
      h('a', { href: `#/knowledge/${agentId}` }, 'What it knows'),
    );
  return h(
    'ul',
    { class: 'stack plain' },
    searches.map(({ query, passages, atMs }) =>
      h(
        'li',
        { class: 'card tight' },
        h(
          'div',
          { class: 'split' },
          h('strong', null, `“${query}”`),
          h('span', { class: 'muted small' }, `at ${clock(atMs / 1_000)}`),
        ),
        passages[0] ? passageView(passages[0], query) : h('p', { class: 'muted' }, 'Nothing was found.'),
        passages.length > 1
          ? h(
              'details',
              null,
              h('summary', null, plural(passages.length - 1, 'more passage')),
              h(
                'ol',
                { class: 'passages' },
                passages.slice(1).map((one) => h('li', null, passageView(one, query))),
              ),
            )
          : null,
      ),
    ),
  );
}
