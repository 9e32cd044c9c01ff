import { announce } from './notices.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';

const THANKS_MS = 1_500;

/** A button that copies `text` to the clipboard. `what` names the text for screen readers. */
export function copyButton(text: () => string, what: string, name = 'Copy'): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'quiet copy', title: `Copy ${what}` }, icon('copy'), label(name));
  button.setAttribute('aria-label', `Copy ${what}`);
  const copyIt = async (): Promise<void> => {
    const done = await copy(text());
    fill(button, icon(done ? 'check' : 'copy'), label(done ? 'Copied' : 'Select and copy manually'));
    announce(done ? `Copied ${what}.` : 'The browser did not allow copying.');
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

/** A delete button that asks for confirmation in place and resets on blur. `what` names the record for screen readers. */
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

/** Runs `work` unless the button is busy. The attribute `disabled` would remove the keyboard focus. */
export async function atWork(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try {
    await work();
  } finally {
    button.ariaDisabled = 'false';
  }
}
