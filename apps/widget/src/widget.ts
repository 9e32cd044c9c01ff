/**
 * A button on any page that begins a call with an agent:
 * `<script src="https://calls.example.com/widget.js" data-key="pk_…" data-agent="1" async></script>`
 *
 * | Attribute | |
 * |---|---|
 * | `data-key`, `data-agent` | the publishable key and its agent |
 * | `data-position` | `bottom-right` (default), `bottom-left`, or `inline`: where the script is |
 * | `data-label`, `data-title` | texts of the button and of the panel |
 * | `data-language` | `en`, `de`, `es`, `fr`; default: the language of the page |
 * | `data-theme` | `light` or `dark`; default: as the system |
 * | `data-variables` | a JSON object with values of the agent's variables |
 */
import { languageOf } from '@app/client/web';
import { CallPanel, element } from './call-panel.js';
import { LABELS } from './labels.js';
import { applyStyles, PANEL_STYLES, WIDGET_STYLES } from './styles.js';

/** Where the script stands; null in a module. */
const script = document.currentScript as HTMLScriptElement | null;

function begin({ dataset, src, parentElement }: HTMLScriptElement): void {
  const { key, agent, position = 'bottom-right', theme } = dataset;
  if (!key || !agent) throw new Error('The script of the widget needs the attributes data-key and data-agent.');
  const language = languageOf([dataset.language, document.documentElement.lang, ...navigator.languages]);
  const labels = LABELS[language];
  const label = dataset.label ?? labels.talk;
  const variables = dataset.variables ? (JSON.parse(dataset.variables) as Record<string, string>) : undefined;
  const at = (path: string) => new URL(path, src).href;

  const host = element('div', { lang: language });
  host.dataset.position = position;
  if (theme) host.dataset.theme = theme;
  const shadow = host.attachShadow({ mode: 'open' });
  applyStyles(shadow, PANEL_STYLES, WIDGET_STYLES);

  const launch = element('button', { type: 'button', class: 'main launch' }, label);
  const close = element('button', { type: 'button', class: 'close', label: labels.close }, '×');
  const again = element('button', { type: 'button', class: 'main again' }, label);
  const panel = new CallPanel({
    labels,
    language,
    title: dataset.title ?? label,
    workletUrl: at('call-worklet.js'),
    target: () => ({ key, agentId: Number(agent), baseUrl: at('.'), ...(variables && { variables }) }),
    onCall: (isOn) => {
      close.hidden = again.hidden = isOn;
      if (!isOn) again.focus();
    },
  });
  const box = element(
    'div',
    { class: 'box', role: 'dialog', label: dataset.title ?? label, hidden: true },
    panel.root,
    again,
    close,
  );
  const open = (isOpen: boolean) => {
    box.hidden = !isOpen;
    launch.hidden = isOpen;
    if (!isOpen) launch.focus();
  };
  const call = () => {
    open(true);
    void panel.start();
  };
  launch.onclick = call;
  again.onclick = call;
  close.onclick = () => open(false);
  box.onkeydown = (event) => {
    if (event.key === 'Escape' && !panel.isOn) open(false);
  };
  shadow.append(launch, box);
  if (position === 'inline' && parentElement && parentElement !== document.head) script!.after(host);
  else if (document.body) document.body.append(host);
  else document.addEventListener('DOMContentLoaded', () => document.body.append(host));
}

if (script) begin(script);
