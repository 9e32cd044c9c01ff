import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ignored } from '../api/client.js';
import { mayRead, me } from '../api/me.js';
import { words } from '../logic/format.js';
import { AccountPage } from '../pages/account/account.js';
import { AgentPage, AgentsPage, NewAgentPage } from '../pages/agents/agents.js';
import { TalkPage } from '../pages/agents/agent-talk.js';
import { AuditPage } from '../pages/account/audit.js';
import { CallPage } from '../pages/calls/call.js';
import { CallsPage } from '../pages/calls/calls.js';
import { EditCampaignPage, NewCampaignPage } from '../pages/campaigns/campaign-form.js';
import { CampaignPage } from '../pages/campaigns/campaign.js';
import { CampaignsPage } from '../pages/campaigns/campaigns.js';
import { DoNotCallPage } from '../pages/account/do-not-call.js';
import { KnowledgePassagesPage } from '../pages/knowledge/knowledge-passages.js';
import { KnowledgeBasePage, KnowledgePage } from '../pages/knowledge/knowledge.js';
import { NewMcpServerPage } from '../pages/tools/mcp-servers.js';
import { NumberPage, NumbersPage } from '../pages/numbers/numbers.js';
import { OperationsPage } from '../pages/account/operations.js';
import { OverviewPage } from '../pages/overview/overview.js';
import { SignInSettingsPage } from '../pages/account/sign-in-settings.js';
import { TokensPage } from '../pages/account/tokens.js';
import { NewToolPage, ToolPage } from '../pages/tools/tool-form.js';
import { ToolsPage } from '../pages/tools/tools.js';
import { NewTrunkPage, TrunkPage } from '../pages/numbers/trunk-form.js';
import { TrunksPage } from '../pages/numbers/trunks.js';
import { WebKeysPage } from '../pages/account/web-keys.js';
import { WebhooksPage } from '../pages/webhooks/webhooks.js';
import { Icon, type IconName, Mark } from './icons.js';
import { Outlet, place, type Route } from './router.js';

const ROUTES: readonly Route[] = [
  ['/overview', OverviewPage],
  ['/calls', CallsPage],
  ['/calls/:id', CallPage],
  ['/campaigns', CampaignsPage],
  ['/campaigns/new', NewCampaignPage],
  ['/campaigns/:id', CampaignPage],
  ['/campaigns/:id/edit', EditCampaignPage],
  ['/agents', AgentsPage],
  ['/agents/new', NewAgentPage],
  ['/agents/:id', AgentPage],
  ['/agents/:id/talk', TalkPage],
  ['/knowledge', KnowledgePage],
  ['/knowledge/:agent', KnowledgePage],
  ['/knowledge/:agent/:id', KnowledgeBasePage],
  ['/knowledge/:agent/:id/passages', KnowledgePassagesPage],
  ['/tools', ToolsPage],
  ['/tools/:agent', ToolsPage],
  ['/tools/:agent/new', NewToolPage],
  ['/tools/:agent/mcp', NewMcpServerPage],
  ['/tools/:agent/:id', ToolPage],
  ['/numbers', NumbersPage],
  ['/numbers/:id', NumberPage],
  ['/trunks', TrunksPage],
  ['/trunks/new', NewTrunkPage],
  ['/trunks/:id', TrunkPage],
  ['/do-not-call', DoNotCallPage],
  ['/webhooks', WebhooksPage],
  ['/tokens', TokensPage],
  ['/web-keys', WebKeysPage],
  ['/account', AccountPage],
  ['/sign-in', SignInSettingsPage],
  ['/audit', AuditPage],
  ['/operations', OperationsPage],
];

type Place = readonly [path: string, label: string, icon: IconName];

const GROUPS: readonly (readonly [name: string, places: readonly Place[]])[] = [
  [
    'Agents',
    [
      ['/overview', 'Overview', 'chart'],
      ['/calls', 'Calls', 'phone'],
      ['/campaigns', 'Campaigns', 'campaign'],
      ['/agents', 'Agents', 'agent'],
      ['/knowledge', 'Knowledge', 'book'],
      ['/tools', 'Tools', 'tool'],
    ],
  ],
  [
    'Telephony',
    [
      ['/numbers', 'Numbers', 'number'],
      ['/trunks', 'Trunks', 'trunk'],
      ['/do-not-call', 'Do not call', 'mute'],
    ],
  ],
  [
    'Account',
    [
      ['/webhooks', 'Webhooks', 'webhook'],
      ['/tokens', 'API tokens', 'key'],
      ['/web-keys', 'Website keys', 'web'],
      ['/account', 'Limits', 'gauge'],
      ['/sign-in', 'Sign-in', 'agent'],
      ['/audit', 'Audit log', 'log'],
    ],
  ],
  ['Installation', [['/operations', 'Operations', 'chart']]],
];

/** The frame around every page: a bar, which is a column at the left of wide screens. */
export function Shell({ onLeave }: { onLeave: () => void }): VNode {
  const { path } = place.value;
  const isOpen = useSignal(false);
  useEffect(() => void (isOpen.value = false), [path]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href="#/overview" aria-label="Trunkline overview">
          <Mark />
          <span>Trunkline</span>
        </a>
        <nav id="places" class={`places${isOpen.value ? ' open' : ''}`} aria-label="Main">
          <WhoAmI />
          <Places path={path} />
        </nav>
        <div class="bar-end">
          <a class="quiet" href="../docs" target="_blank" rel="noopener">
            <span>API</span>
          </a>
          <ThemeButton />
          <button type="button" class="quiet" onClick={onLeave} title="Sign out" aria-label="Sign out">
            <Icon name="leave" />
          </button>
          <button
            type="button"
            class="quiet menu"
            aria-expanded={isOpen.value}
            aria-controls="places"
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            <Icon name="menu" />
            Menu
          </button>
        </div>
      </header>
      <Outlet routes={ROUTES} />
    </div>
  );
}

/** The pages that the session may read. */
const Places = ({ path }: { path: string }): VNode => {
  const groups = GROUPS.map(([name, places]) => [name, places.filter(([to]) => mayRead(to))] as const);
  return (
    <>
      {groups
        .filter(([, places]) => places.length > 0)
        .map(([name, places]) => (
          <div key={name} class="place-group" role="group" aria-label={name}>
            {places.map(([to, label, icon]) => (
              <a key={to} href={`#${to}`} aria-current={isAt(path, to) ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{label}</span>
              </a>
            ))}
          </div>
        ))}
    </>
  );
};

/** The account, and the person with their role. */
function WhoAmI(): VNode | null {
  const { value: session } = me;
  if (!session) return null;
  const { account, person, role } = session;
  const name = person && (person.name ?? person.email ?? 'You');
  return (
    <div class="who-am-i" title={person?.email ?? undefined}>
      <strong>{account.name}</strong>
      <span class="muted small">{name ? `${name} · ${words(role ?? '')}` : 'API token'}</span>
    </div>
  );
}

const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** The router owns the fragment, so the link must not change it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
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
      aria-label={`Theme: ${theme.value}. Change theme.`}
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
