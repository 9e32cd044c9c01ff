import { announce } from './announce.js';
import { fill, h } from './dom.js';

/** Asks once more, in place; forgets that it was asked when the focus leaves it. `what`: for those who cannot see where it stands. */
export function deleteButton(what: string, onDelete: () => void): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'quiet', 'data-focus': 'delete' });
  let asked = false;
  const show = (): void => {
    button.className = asked ? 'danger' : 'quiet';
    button.setAttribute('aria-label', asked ? `Really delete ${what}?` : `Delete ${what}`);
    fill(button, asked ? 'Really delete it?' : 'Delete');
  };
  button.addEventListener('click', () => {
    if (asked) onDelete();
    else announce(`Press again to delete ${what}.`);
    asked = true;
    show();
  });
  button.addEventListener('blur', () => {
    asked = false;
    show();
  });
  show();
  return button;
}
