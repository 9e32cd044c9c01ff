import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { session } from './api/client.js';
import { Announcer } from './components/parts.js';
import { readAddress } from './components/router.js';
import { applyTheme, IgnoredNotice, Shell } from './components/shell.js';
import { SignIn, SwitchSession } from './pages/sign-in.js';

/** What the page shows: everything of a session, or one of the two questions before it. */
type Gate = { name: 'inside' } | { name: 'sign-in'; reason?: string } | { name: 'switch'; token: string };

const gate = signal<Gate>({ name: 'inside' });

/**
 * Returns the token of a link (`/console#token=…`) and clears the address bar at once, so that it stays out of the history and
 * of screenshots. A fragment is never sent to a server. `place`: the fragment that replaces it.
 */
function takeTokenFromAddress(place = '#/calls'): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}${place}`);
  readAddress();
  return token;
}

/** `token`: the token of a link. It replaces another session only if the user agrees: the link may come from an attacker. */
function open(token?: string): void {
  const current = session.token;
  if (token !== undefined && current !== null && token !== current) {
    gate.value = { name: 'switch', token };
    return;
  }
  if (token !== undefined) session.begin(token);
  gate.value = session.token === null ? { name: 'sign-in' } : { name: 'inside' };
}

const enter = (): void => void (gate.value = { name: 'inside' });

function leave(reason?: string): void {
  session.end();
  gate.value = { name: 'sign-in', ...(reason !== undefined && { reason }) };
}

function use(token: string): void {
  session.begin(token);
  history.replaceState(null, '', '#/calls');
  readAddress();
  enter();
}

function Gate(): VNode {
  const { value } = gate;
  if (value.name === 'inside') return <Shell onLeave={() => leave()} />;
  return (
    <main class="gate" id="main">
      {value.name === 'switch' ? (
        <SwitchSession keep={enter} use={() => use(value.token)} />
      ) : (
        <SignIn reason={value.reason} onDone={enter} />
      )}
    </main>
  );
}

function App(): VNode {
  useEffect(() => {
    document.addEventListener('signed-out', () => {
      if (gate.value.name === 'inside') leave('The token is no longer accepted. Sign in with another one.');
    });
  }, []);
  return (
    <>
      <Gate />
      <Announcer />
      <IgnoredNotice />
    </>
  );
}

applyTheme();
// A link opened in this tab changes only the fragment. As a capturing listener, this one runs before the router's.
window.addEventListener(
  'hashchange',
  ({ oldURL }) => {
    const token = takeTokenFromAddress(new URL(oldURL).hash);
    if (token !== undefined) open(token);
  },
  { capture: true },
);
open(takeTokenFromAddress());
const app = document.querySelector<HTMLElement>('#app') ?? document.body;
app.replaceChildren();
render(<App />, app);
