import { announcer } from './notices.js';
import { fill, h } from './dom.js';
import { openCall } from './call-page.js';
import { openCalls } from './calls-page.js';
import { ignoredNotice } from './ignored-notice.js';
import { openKnowledge, openKnowledgeBase } from './knowledge-page.js';
import { type Route, startRouter } from './router.js';
import { session, takeTokenFromAddress } from './session.js';
import { shell, showPlace, applyTheme } from './shell.js';
import { signIn, switchSession } from './sign-in.js';
import { startClock } from './page-parts.js';
import { openNewTool, openTool } from './tool-form.js';
import { openTools } from './tools-page.js';

const ROUTES: Route[] = [
  ['/calls', openCalls],
  ['/calls/:id', openCall],
  ['/knowledge', openKnowledge],
  ['/knowledge/:agent', openKnowledge],
  ['/knowledge/:agent/:id', openKnowledgeBase],
  ['/tools', openTools],
  ['/tools/:agent', openTools],
  ['/tools/:agent/new', openNewTool],
  ['/tools/:agent/:id', openTool],
];

const app = document.querySelector<HTMLElement>('#app') ?? document.body;
let stopPages = (): void => {};
let inside = false;

applyTheme();
startClock();
document.body.append(announcer(), ignoredNotice());
document.addEventListener('signed-out', () => {
  if (inside) leave('The token is no longer accepted. Sign in with another one.');
});
document.addEventListener('sign-out', () => leave());
// A link opened in this tab changes only the fragment. This listener runs before the router's.
window.addEventListener('hashchange', ({ oldURL }) => {
  const token = takeTokenFromAddress(new URL(oldURL).hash);
  if (token !== undefined) open(token);
});
open(takeTokenFromAddress());

/** `token`: the token of a link. It replaces another session only if the user agrees: the link may come from an attacker. */
function open(token?: string): void {
  const current = session.token;
  if (token !== undefined && current !== null && token !== current) return ask(token);
  if (token !== undefined) session.begin(token);
  if (session.token !== null) enter();
  else leave();
}

function ask(token: string): void {
  const use = (): void => {
    session.begin(token);
    history.replaceState(null, '', '#/calls');
    enter();
  };
  showGate('Change the session?', switchSession({ keep: enter, use }));
}

function showGate(title: string, node: HTMLElement): void {
  inside = false;
  stopPages();
  document.title = `${title} · Trunkline`;
  fill(app, h('main', { class: 'gate', id: 'main' }, node));
  node.querySelector<HTMLElement>('[autofocus]')?.focus();
}

function enter(): void {
  stopPages();
  const { nav, outlet, all } = shell();
  fill(app, all);
  inside = true;
  stopPages = startRouter(outlet, ROUTES, (path) => showPlace(nav, path));
}

function leave(reason?: string): void {
  session.end();
  showGate('Sign in', signIn(enter, reason));
}
