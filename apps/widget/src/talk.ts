/**
 * The page /talk: a call from a link, without a login. The link has the address and the token of the call in its fragment, which browsers
 * do not send to servers: `/talk#url=wss://…&token=…&title=…`
 */
import { languageOf, sentence } from '@app/client/web';
import { CallPanel, element } from './call-panel.js';
import { LABELS } from './labels.js';
import { applyStyles, PAGE_STYLES, PANEL_STYLES } from './styles.js';

const language = languageOf(navigator.languages);
const labels = LABELS[language];
const given = new URLSearchParams(location.hash.slice(1));
const [url, token] = [given.get('url'), given.get('token')];
const title = given.get('title') ?? labels.talk;

document.documentElement.lang = language;
document.title = title;
applyStyles(document, PANEL_STYLES, PAGE_STYLES);

const start = element('button', { type: 'button', class: 'main' }, labels.talk);
const panel = new CallPanel({
  labels,
  language,
  title,
  workletUrl: 'call-worklet.js',
  target: () => ({ url: url!, token: token! }),
  // A token opens one connection: there is no second call from this link.
  onCall: () => (start.hidden = true),
});
start.onclick = () => void panel.start();
const main = element('main', {}, element('h1', {}, title));
// Only a server of this page's own address: a foreign link must not lead a person here to talk to somebody else.
if (!url || !token) main.append(element('p', { class: 'problem', role: 'alert' }, sentence('token_invalid', language)));
else if (!isOwn(url)) main.append(element('p', { class: 'problem', role: 'alert' }, sentence('not_allowed', language)));
else main.append(panel.root, start);
document.body.append(main);
// The token does not stay in the history.
history.replaceState(null, '', location.pathname);

function isOwn(address: string): boolean {
  try {
    return new URL(address).host === location.host;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
