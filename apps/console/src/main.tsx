import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { messageOf, session } from './api/client.js';
import { endSession, readSession, signInOptions } from './api/me.js';
import { DialogPlace } from './components/dialog.js';
import { Announcer } from './components/parts.js';
import { readAddress, replaceAddress } from './components/router.js';
import { applyTheme, IgnoredNotice, Shell } from './components/shell.js';
import { forgetAllEdits, mayLeave } from './components/unsaved-edits.js';
import {
  problemOfAddress,
  SignIn,
  StartSignIn,
  SwitchSession,
  takeWantedSignIn,
  type WantedSignIn,
} from './pages/account/sign-in.js';

/** What the page shows: everything of a session, or one of the questions before it. `opening`: the cookie is being tried. */
type Gate =
  | { name: 'opening' }
  | { name: 'inside' }
  | { name: 'sign-in'; reason?: string }
  | { name: 'switch'; token: string }
  | { name: 'start'; wanted: WantedSignIn; isSignedIn: boolean };

const gate = signal<Gate>({ name: 'opening' });

/**
 * Returns the token of a link (`/console#token=…`, with `&to=/agents/1/talk` for a page) and clears the address bar at once, so that it
 * stays out of the history and of screenshots. A fragment is never sent to a server. `place`: the fragment that replaces it, without a page.
 */
function takeTokenFromAddress(place = '#/overview'): string | undefined {
  const [, token, to] = /^#token=([\w-]+)(?:&to=(\/[\w/-]+))?$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  replaceAddress(`${location.pathname}${location.search}${to === undefined ? place : `#${to}`}`);
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
  if (session.token === null) void openWithCookie();
  else void enter();
}

/** A link asks for a sign-in: the person decides, with a session or without one. */
function ask(wanted: WantedSignIn): void {
  readAddress();
  gate.value = { name: 'opening' };
  void isSignedIn().then((isIn) => (gate.value = { name: 'start', wanted, isSignedIn: isIn }));
}

/** Without an answer the question is asked as if there were a session. */
async function isSignedIn(): Promise<boolean> {
  try {
    return (session.token !== null || (await hasSession())) && (await readSession());
  } catch {
    return true;
  }
}

/** The scopes of the session decide what its pages ask for, so it is read first. */
async function enter(): Promise<void> {
  gate.value = { name: 'opening' };
  try {
    if (!(await readSession())) return leave(NO_LONGER_ACCEPTED);
  } catch {
    // Pages show their own errors; without an answer, nothing is hidden.
  }
  gate.value = { name: 'inside' };
}

const NO_LONGER_ACCEPTED = 'The token is no longer accepted. Sign in with another one.';

/** Uses the session of the cookie. Without one, or after a failed sign-in, the person is asked. */
async function openWithCookie(): Promise<void> {
  const problem = problemOfAddress();
  gate.value = { name: 'opening' };
  try {
    const isOpen = problem === undefined && (await hasSession()) && (await readSession());
    gate.value = isOpen ? { name: 'inside' } : { name: 'sign-in', ...(problem !== undefined && { reason: problem }) };
  } catch (error) {
    gate.value = { name: 'sign-in', reason: messageOf(error) };
  }
}

/** Asking for the session without one would log a 401 in the browser. */
const hasSession = async (): Promise<boolean> => (await signInOptions())?.has_session ?? true;

function leave(reason?: string): void {
  session.end();
  gate.value = { name: 'sign-in', ...(reason !== undefined && { reason }) };
}

/** Ends the session, of a person also at the issuer. Drafts of unsaved edits end with it. */
async function signOut(): Promise<void> {
  forgetAllEdits();
  if (session.token !== null) return leave();
  try {
    const url = await endSession();
    if (url !== null) location.assign(url);
    else leave();
  } catch (error) {
    leave(messageOf(error));
  }
}

function askToSignOut(): void {
  const go = (): void => void signOut();
  if (mayLeave(go, false)) go();
}

function use(token: string): void {
  session.begin(token);
  replaceAddress('#/overview');
  readAddress();
  void enter();
}

function Gate(): VNode {
  const { value } = gate;
  if (value.name === 'opening') return <main id="main" aria-busy="true" />;
  if (value.name === 'inside') return <Shell onLeave={askToSignOut} />;
  return (
    <main class="gate" id="main">
      {value.name === 'switch' ? (
        <SwitchSession keep={() => void enter()} use={() => use(value.token)} />
      ) : value.name === 'start' ? (
        <StartSignIn wanted={value.wanted} isSignedIn={value.isSignedIn} stay={() => open()} onSignedIn={ask} />
      ) : (
        <SignIn reason={value.reason} onDone={() => void enter()} onSignedIn={ask} />
      )}
    </main>
  );
}

function App(): VNode {
  useEffect(() => {
    document.addEventListener('signed-out', () => {
      if (gate.value.name !== 'inside') return;
      const isToken = session.token !== null;
      leave(isToken ? NO_LONGER_ACCEPTED : 'Your session has ended. Sign in again.');
    });
  }, []);
  return (
    <>
      <Gate />
      <Announcer />
      <IgnoredNotice />
      <DialogPlace />
    </>
  );
}

applyTheme();
// A link opened in this tab changes only the fragment. As a capturing listener, this one runs before the router's.
window.addEventListener(
  'hashchange',
  ({ oldURL }) => {
    const { hash } = new URL(oldURL);
    const token = takeTokenFromAddress(hash);
    if (token !== undefined) open(token);
    const wanted = takeWantedSignIn(hash);
    if (wanted) ask(wanted);
  },
  { capture: true },
);
const wanted = takeWantedSignIn();
if (wanted) ask(wanted);
else open(takeTokenFromAddress());
const app = document.querySelector<HTMLElement>('#app') ?? document.body;
app.replaceChildren();
render(<App />, app);
