import { announce } from './announce.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';

const THANKS_MS = 1_500;

/** A button that puts `text` into the clipboard. `what`: for those who cannot see what it stands beside. */
export function copyButton(text: () => string, what: string, name = 'Copy'): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'quiet copy', title: `Copy ${what}` }, icon('copy'), label(name));
  button.setAttribute('aria-label', `Copy ${what}`);
  const copyIt = async (): Promise<void> => {
    const done = await copy(text());
    fill(button, icon(done ? 'check' : 'copy'), label(done ? 'Copied' : 'Select it and copy by hand'));
    announce(done ? `Copied ${what}.` : 'The browser did not let us copy.');
    setTimeout(() => fill(button, icon('copy'), label(name)), THANKS_MS);
  };
  button.addEventListener('click', () => void copyIt());
  return button;
}

const label = (text: string): HTMLElement => h('span', null, text);

/** The clipboard exists on https and localhost only. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Lines to paste into a terminal. */
export const commandLine = (text: string, what = 'the command'): HTMLElement =>
  h(
    'div',
    { class: 'command' },
    h('pre', { tabindex: 0, role: 'region', 'aria-label': `Text of ${what}` }, h('code', null, text)),
    copyButton(() => text, what),
  );

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

/** Runs `work` unless the button is busy. `disabled` would take the focus from keyboard users. */
export async function atWork(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try {
    await work();
  } finally {
    button.ariaDisabled = 'false';
  }
}
