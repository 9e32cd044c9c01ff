import type { ApiPath } from './api-path.js';
import { messageOf, request } from './api.js';
import { deleteButton } from './buttons.js';
import { fill, h } from './dom.js';

interface RecordOf {
  /** Of its address in the API. */
  path: ApiPath;
  /** Of the page where it is changed. */
  edit: string;
  title: string;
  isActive: boolean;
  /** It was switched, deleted, or whatever else was done with it. */
  onChange: () => void;
}

/** What can be done with a record of a list: use it or not, change it, delete it. `more`: what only some have. */
export function recordActions(
  { path, edit, title, isActive, onChange }: RecordOf,
  more?: { label: string; path: ApiPath },
): HTMLElement[] {
  const said = h('p', { class: 'field-error', role: 'status' });
  const act = (method: string, target: ApiPath, body?: object) => (): void => {
    request(method, target, { body })
      .then(onChange)
      .catch((error: unknown) => fill(said, messageOf(error)));
  };
  const inUse = h(
    'button',
    {
      type: 'button',
      'data-focus': 'active',
      role: 'switch',
      class: 'switch',
      'aria-checked': String(isActive),
      'aria-label': `${title}: in use`,
      onclick: act('PATCH', path, { is_active: !isActive }),
    },
    'In use',
  );
  const buttons = h(
    'div',
    { class: 'actions' },
    inUse,
    h('a', { class: 'button', href: edit, 'data-focus': 'edit', 'aria-label': `Edit ${title}` }, 'Edit'),
    more
      ? h('button', { type: 'button', 'data-focus': 'again', onclick: act('POST', more.path) }, more.label)
      : undefined,
    deleteButton(title, act('DELETE', path)),
  );
  return [said, buttons];
}
