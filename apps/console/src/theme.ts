import { fill, h } from './dom.js';
import { icon } from './icons.js';

const KEY = 'trunkline.theme';
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const kept = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';

export function applyTheme(theme: Theme = kept()): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Goes round: as the system has it, light, dark. */
export function themeButton(): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet' });
  const show = (): void => {
    button.setAttribute('aria-label', `Theme: ${kept()}. Change it.`);
    button.title = `Theme: ${kept()}`;
    fill(button, icon('sun'), h('span', { class: 'wide-only' }, kept()));
  };
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(kept()) + 1) % THEMES.length] ?? 'auto';
    localStorage.setItem(KEY, next);
    applyTheme(next);
    show();
  });
  show();
  return button;
}
