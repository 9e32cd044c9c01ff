import { type ApiPath, apiPath } from './api-path.js';
import { h, styled } from './dom.js';
import { bytes, plural, words } from './format.js';
import { pill } from './pills.js';
import { recordActions } from './record-actions.js';
import { timeOf } from './times.js';
import type { KnowledgeBase } from './types.js';

interface Parts {
  path: ApiPath;
  /** Of the page where it is changed. */
  edit: string;
  /** It was switched, processed anew or deleted. */
  onChange: () => void;
}

/** One knowledge base of the list. */
export function knowledgeItem(one: KnowledgeBase, { path, edit, onChange }: Parts): HTMLElement {
  const isBusy = one.status === 'pending' || one.status === 'processing';
  const own = apiPath`${path}/${one.id}`;
  const again = { label: one.source_type === 'url' ? 'Fetch again' : 'Read again', path: apiPath`${own}/reprocess` };
  return h(
    'li',
    { class: 'row knowledge-row', 'data-knowledge': one.id },
    h('div', { class: 'split' }, h('strong', null, one.title), pill(one.status)),
    h('p', { class: 'muted small' }, ...factsOf(one)),
    isBusy || one.stage !== null ? progressOf(one) : null,
    one.processing_error === null ? null : h('p', { class: 'field-error' }, one.processing_error),
    ...recordActions(
      { path: own, edit, title: one.title, isActive: one.is_active, onChange },
      one.source_type === 'text' || isBusy ? undefined : again,
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
