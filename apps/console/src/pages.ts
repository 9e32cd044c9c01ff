import { fill, h } from './dom.js';
import type { ListOf } from './types.js';

/** Steps through a list of more than one page. The buttons stay while the list is asked for again and again, and with them the focus. */
export class PageSteps {
  readonly node: HTMLElement;
  private readonly where = h('span', { class: 'muted' });
  private readonly newer: HTMLButtonElement;
  private readonly older: HTMLButtonElement;
  private page = 1;

  /** `label`: of what they are pages. */
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
