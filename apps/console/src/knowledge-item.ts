import { request, messageOf } from './api.js';
import { deleteButton } from './delete-button.js';
import { fill, h, styled } from './dom.js';
import { bytes, plural, words } from './format.js';
import { pill } from './pills.js';
import { timeOf } from './times.js';
import type { KnowledgeBase } from './types.js';

/** One knowledge base of the list; `onChange`: it was switched, processed anew or deleted. */
export function knowledgeItem(one: KnowledgeBase, path: string, onChange: () => void): HTMLElement {
  const said = h('p', { class: 'field-error', role: 'status' });
  const act = (method: string, tail: string, body?: object) => (): void => {
    request(method, `${path}/${one.id}${tail}`, { body })
      .then(onChange)
      .catch((error: unknown) => fill(said, messageOf(error)));
  };
  const isBusy = one.status === 'pending' || one.status === 'processing';
  return h(
    'li',
    { class: 'row knowledge-row', 'data-knowledge': one.id },
    h('div', { class: 'split' }, h('strong', null, one.title), pill(one.status)),
    h('p', { class: 'muted small' }, ...factsOf(one)),
    isBusy || one.stage !== null ? progressOf(one) : null,
    one.processing_error === null ? null : h('p', { class: 'field-error' }, one.processing_error),
    said,
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        {
          type: 'button',
          'data-focus': 'active',
          role: 'switch',
          class: 'switch',
          'aria-checked': String(one.is_active),
          'aria-label': `${one.title}: in use`,
          onclick: act('PATCH', '', { is_active: !one.is_active }),
        },
        'In use',
      ),
      one.source_type === 'text' || isBusy
        ? null
        : h(
            'button',
            { type: 'button', 'data-focus': 'again', onclick: act('POST', '/reprocess') },
            one.source_type === 'url' ? 'Fetch again' : 'Read again',
          ),
      deleteButton(one.title, act('DELETE', '')),
    ),
  );
}

function factsOf({
  source_type,
  source_reference,
  file_name,
  file_size,
  word_count,
  chunk_count,
  updated_at,
}: KnowledgeBase): (Node | string)[] {
  const source =
    source_type === 'file' ? [file_name, file_size !== null && bytes(file_size)] : [source_reference ?? 'Text'];
  const size = chunk_count > 0 ? [plural(word_count, 'word'), plural(chunk_count, 'passage')] : [];
  return [[...source, ...size].filter(Boolean).join(' · '), ' · ', timeOf(updated_at)];
}

function progressOf({ stage, progress, title }: KnowledgeBase): HTMLElement {
  const label = stage === null ? 'Waiting for a worker' : words(stage);
  return h(
    'div',
    { class: 'progress-line' },
    h(
      'div',
      {
        class: 'progress',
        role: 'progressbar',
        'aria-label': `${title}: ${label}`,
        'aria-valuenow': progress,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
      },
      styled(h('span', null), { width: `${progress}%` }),
    ),
    h('span', { class: 'muted small' }, `${label} ${progress} %`),
  );
}
