import { h, fill } from './dom.js';
import { icon, mark } from './icons.js';

const PLACES = [
  ['/calls', 'Calls', 'phone'],
  ['/knowledge', 'Knowledge', 'book'],
  ['/tools', 'Tools', 'tool'],
] as const;

/** The frame around every page. */
export function shell(): { all: HTMLElement; nav: HTMLElement; outlet: HTMLElement } {
  const outlet = h('main', { id: 'main', tabindex: '-1' });
  const nav = h(
    'nav',
    { class: 'places', 'aria-label': 'Main' },
    PLACES.map(([path, label, name]) => h('a', { href: `#${path}` }, icon(name), h('span', null, label))),
  );
  const signOut = (): boolean => document.dispatchEvent(new CustomEvent('sign-out'));
  const all = h(
    'div',
    { class: 'shell' },
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'Skip to the content'),
    h(
      'header',
      { class: 'bar' },
      h(
        'a',
        { class: 'brand', href: '#/calls', 'aria-label': 'Trunkline, to the calls' },
        mark(),
        h('span', null, 'Trunkline'),
      ),
      nav,
      h(
        'div',
        { class: 'bar-end' },
        h('a', { class: 'quiet', href: '../docs', target: '_blank', rel: 'noopener' }, h('span', null, 'API')),
        themeButton(),
        h(
          'button',
          { type: 'button', class: 'quiet', onclick: signOut, title: 'Sign out', 'aria-label': 'Sign out' },
          icon('leave'),
        ),
      ),
    ),
    outlet,
  );
  return { all, nav, outlet };
}

/** The router owns the fragment, so the link must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

/** Marks the current section in the navigation. */
export function showPlace(nav: HTMLElement, path: string): void {
  for (const link of nav.querySelectorAll('a')) {
    const place = link.getAttribute('href')?.slice(1) ?? '';
    if (path === place || path.startsWith(`${place}/`)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

const KEY = 'trunkline.theme';
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const kept = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';

export function applyTheme(theme: Theme = kept()): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Cycles through the themes: system, light, dark. */
function themeButton(): HTMLElement {
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
