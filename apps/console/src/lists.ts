import { fill, h } from './dom.js';
import type { ListOf } from './types.js';
import type { ApiPath } from './api-path.js';
import { messageOf, request } from './api.js';
import { deleteButton } from './buttons.js';

interface Kept {
  node: HTMLElement;
  seen: string;
}

/**
 * Shows a list whose records change. An unchanged record keeps its element, and with it focus and selection. The element of a changed
 * record is created again; if it had the focus, the focus moves to the element with the same `data-focus`. If the record with the focus
 * is gone, the focus moves to the list.
 */
export function keyedList<T>(
  parent: HTMLElement,
  { keyOf, make, empty }: { keyOf: (item: T) => string; make: (item: T) => HTMLElement; empty?: () => Node },
): (items: readonly T[]) => void {
  let kept = new Map<string, Kept>();
  return (items) => {
    const next = new Map<string, Kept>();
    for (const item of items) {
      const seen = JSON.stringify(item);
      const before = kept.get(keyOf(item));
      next.set(keyOf(item), before?.seen === seen ? before : { node: anew(before?.node, () => make(item)), seen });
    }
    kept = next;
    const hadFocus = parent.contains(document.activeElement);
    if (next.size === 0) fill(parent, empty?.());
    else arrange(parent, next);
    if (hadFocus && !parent.contains(document.activeElement)) takeFocus(parent);
  };
}

function anew(before: HTMLElement | undefined, make: () => HTMLElement): HTMLElement {
  const focused = document.activeElement;
  const name = before?.contains(focused) ? (focused?.getAttribute('data-focus') ?? '') : undefined;
  const node = make();
  before?.replaceWith(node);
  if (name !== undefined) node.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`)?.focus();
  return node;
}

/** Moves only nodes that are out of order. */
function arrange(parent: HTMLElement, kept: ReadonlyMap<string, Kept>): void {
  const nodes = [...kept.values()].map(({ node }) => node);
  const wanted = new Set<Node>(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, index) => {
    const there = parent.childNodes[index];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
}

function takeFocus(parent: HTMLElement): void {
  parent.tabIndex = -1;
  parent.focus({ preventScroll: true });
}

/** Buttons to page through a list. They survive reloads of the list and keep the focus. */
export class PageSteps {
  readonly node: HTMLElement;
  private readonly where = h('span', { class: 'muted' });
  private readonly newer: HTMLButtonElement;
  private readonly older: HTMLButtonElement;
  private page = 1;

  /** `label`: accessible name of the navigation. */
  constructor(label: string, go: (page: number) => void) {
    const step = (name: string, by: number): HTMLButtonElement => {
      const button = h('button', { type: 'button' }, name);
      button.addEventListener('click', () => {
        if (button.ariaDisabled !== 'true') go(this.page + by);
      });
      return button;
    };
    this.newer = step('Newer', -1);
    this.older = step('Older', 1);
    this.node = h('nav', { class: 'pages', 'aria-label': label });
  }

  show({ meta: { current_page: page, last_page: last } }: ListOf<unknown>): void {
    this.page = page;
    if (last <= 1 && page === 1) return this.node.replaceChildren();
    fill(this.where, `Page ${page} of ${last}`);
    this.newer.ariaDisabled = String(page <= 1);
    this.older.ariaDisabled = String(page >= last);
    if (!this.node.contains(this.where)) fill(this.node, this.newer, this.where, this.older);
  }
}

interface RecordOf {
  /** Path of the record in the API. */
  path: ApiPath;
  /** Address of the page that edits it. */
  edit: string;
  title: string;
  isActive: boolean;
  /** Called after any change of the record. */
  onChange: () => void;
}

/** The actions of a record in a list: activate, edit, delete, and optionally `more`. */
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
