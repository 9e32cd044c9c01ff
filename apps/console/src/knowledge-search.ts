import { announce } from './announce.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import { fill, h } from './dom.js';
import { plural } from './format.js';
import { field, form } from './forms.js';
import { passageView } from './passage-view.js';
import type { Passage } from './types.js';

/** Finds what the agent would be given for a question. */
export function trySearch(path: ApiPath, signal: AbortSignal): HTMLElement {
  const input = h('input', {
    type: 'search',
    name: 'query',
    placeholder: 'How long do I have to return something?',
    autocomplete: 'off',
  });
  const found = h('div', { class: 'found' });
  const send = async (): Promise<void> => {
    const query = input.value.trim();
    const began = performance.now();
    const { data } = await ask<{ data: Passage[] }>('POST', apiPath`${path}/search`, { body: { query }, signal });
    const ms = Math.round(performance.now() - began);
    const summary = data.length === 0 ? 'Nothing fits.' : `${plural(data.length, 'passage')} in ${ms} ms`;
    announce(summary);
    fill(
      found,
      h('p', { class: 'muted small' }, summary),
      h(
        'ol',
        { class: 'passages' },
        data.map((passage) => h('li', null, passageView(passage, query))),
      ),
    );
  };
  return h(
    'div',
    null,
    form(
      { label: 'Try a search', submit: 'Search', busy: 'Searching…', send, class: 'inline-form' },
      field({ name: 'query', label: 'Question', input }),
    ),
    found,
  );
}
