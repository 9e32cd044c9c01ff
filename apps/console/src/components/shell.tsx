import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ignored } from '../api/client.js';
import { CallPage } from '../pages/call.js';
import { CallsPage } from '../pages/calls.js';
import { KnowledgeBasePage, KnowledgePage } from '../pages/knowledge.js';
import { NewToolPage, ToolPage } from '../pages/tool-form.js';
import { ToolsPage } from '../pages/tools.js';
import { Icon, type IconName, Mark } from './icons.js';
import { Outlet, place, type Route } from './router.js';

const ROUTES: readonly Route[] = [
  ['/calls', CallsPage],
  ['/calls/:id', CallPage],
  ['/knowledge', KnowledgePage],
  ['/knowledge/:agent', KnowledgePage],
  ['/knowledge/:agent/:id', KnowledgeBasePage],
  ['/tools', ToolsPage],
  ['/tools/:agent', ToolsPage],
  ['/tools/:agent/new', NewToolPage],
  ['/tools/:agent/:id', ToolPage],
];

const PLACES: readonly (readonly [path: string, label: string, icon: IconName])[] = [
  ['/calls', 'Calls', 'phone'],
  ['/knowledge', 'Knowledge', 'book'],
  ['/tools', 'Tools', 'tool'],
];

/** The frame around every page. */
export const Shell = ({ onLeave }: { onLeave: () => void }): VNode => (
  <div class="shell">
    <a class="skip" href="#main" onClick={skip}>
      Skip to the content
    </a>
    <header class="bar">
      <a class="brand" href="#/calls" aria-label="Trunkline, to the calls">
        <Mark />
        <span>Trunkline</span>
      </a>
      <Places />
      <div class="bar-end">
        <a class="quiet" href="../docs" target="_blank" rel="noopener">
          <span>API</span>
        </a>
        <ThemeButton />
        <button type="button" class="quiet" onClick={onLeave} title="Sign out" aria-label="Sign out">
          <Icon name="leave" />
        </button>
      </div>
    </header>
    <Outlet routes={ROUTES} />
  </div>
);

/** The router owns the fragment, so the link must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Places(): VNode {
  const { path } = place.value;
  return (
    <nav class="places" aria-label="Main">
      {PLACES.map(([to, label, icon]) => (
        <a key={to} href={`#${to}`} aria-current={path === to || path.startsWith(`${to}/`) ? 'page' : undefined}>
          <Icon name={icon} />
          <span>{label}</span>
        </a>
      ))}
    </nav>
  );
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
function ThemeButton(): VNode {
  const theme = useSignal(kept());
  const next = (): void => {
    theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
    localStorage.setItem(KEY, theme.value);
    applyTheme(theme.value);
  };
  return (
    <button
      type="button"
      class="quiet"
      onClick={next}
      aria-label={`Theme: ${theme.value}. Change it.`}
      title={`Theme: ${theme.value}`}
    >
      <Icon name="sun" />
      <span class="wide-only">{theme.value}</span>
    </button>
  );
}

/** Fields that the service ignored. */
export const IgnoredNotice = (): VNode => (
  <div class="ignored" role="status" aria-label="Ignored fields" hidden={ignored.value.length === 0}>
    <Icon name="warn" />
    <ul>
      {ignored.value.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
    <button type="button" class="quiet" onClick={() => (ignored.value = [])}>
      Dismiss
    </button>
  </div>
);
