import { announcer } from './announce.js';
import { fill, h } from './dom.js';
import { openCall } from './call-page.js';
import { openCalls } from './calls-page.js';
import { openKnowledgeBase } from './knowledge-base-page.js';
import { openKnowledge } from './knowledge-page.js';
import { type Route, startRouter } from './router.js';
import { session, takeTokenFromAddress } from './session.js';
import { shell, showPlace } from './shell.js';
import { signIn } from './sign-in.js';
import { applyTheme } from './theme.js';
import { startClock } from './times.js';
import { openNewTool, openTool } from './tool-page.js';
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
takeTokenFromAddress();
startClock();
document.body.append(announcer());
document.addEventListener('signed-out', () => {
  if (inside) leave('The token is no longer accepted. Sign in with another one.');
});
document.addEventListener('sign-out', () => leave());
if (session.token) enter();
else leave();

function enter(): void {
  const { nav, outlet, all } = shell();
  fill(app, all);
  inside = true;
  stopPages = startRouter(outlet, ROUTES, (path) => showPlace(nav, path));
}

function leave(reason?: string): void {
  inside = false;
  stopPages();
  session.end();
  document.title = 'Sign in · Trunkline';
  fill(app, h('main', { class: 'gate', id: 'main' }, signIn(enter, reason)));
}
