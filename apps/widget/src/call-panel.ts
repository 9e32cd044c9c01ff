import {
  type CreatedCall,
  type PublishableCall,
  startWebCall,
  type TranscriptMessage,
  type WebCall,
  WebCallError,
  type WebCallEvent,
  type WebCallLanguage,
} from '@app/client/web';
import type { Labels } from './labels.js';

interface PanelOptions {
  labels: Labels;
  language: WebCallLanguage;
  title: string;
  workletUrl: string;
  target: () => CreatedCall | PublishableCall;
  /** A call has begun or is over. */
  onCall: (isOn: boolean) => void;
}

const KEYS = '123456789*0#';

/** An element with properties and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> & { class?: string; role?: string; live?: string; label?: string } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const { class: className, role, live, label, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  if (className) made.className = className;
  if (role) made.setAttribute('role', role);
  if (live) made.setAttribute('aria-live', live);
  if (label) made.setAttribute('aria-label', label);
  made.append(...children);
  return made;
}

/** The call as a person sees it: state, levels, words, buttons. Used by the widget and by the page /talk. */
export class CallPanel {
  readonly root: HTMLElement;
  private readonly status = element('p', { class: 'status', role: 'status' });
  private readonly problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  private readonly words: HTMLElement;
  private readonly meters = [element('span'), element('span')] as const;
  private readonly muteButton: HTMLButtonElement;
  private readonly hangUpButton: HTMLButtonElement;
  private readonly buttons: HTMLElement;
  private readonly turns = new Map<string, HTMLElement>();
  private call: WebCall | undefined;
  private abort: AbortController | undefined;

  constructor(private readonly options: PanelOptions) {
    const { labels, title } = options;
    this.words = element('div', { class: 'words', role: 'log', label: labels.words, tabIndex: 0, hidden: true });
    this.muteButton = element('button', { type: 'button', onclick: () => this.toggleMute() }, labels.mute);
    this.hangUpButton = element(
      'button',
      { type: 'button', class: 'end', onclick: () => this.hangUp() },
      labels.hangUp,
    );
    const keys = Array.from(KEYS, (key) =>
      element('button', { type: 'button', onclick: () => this.call?.sendDigits(key) }, key),
    );
    const keypad = element(
      'details',
      {},
      element('summary', {}, labels.keys),
      element('div', { class: 'keys' }, ...keys),
    );
    const meters = element('div', { class: 'meters', ariaHidden: 'true' }, ...this.meters);
    const row = element('div', { class: 'row' }, this.muteButton, this.hangUpButton);
    this.buttons = element('div', { hidden: true }, meters, row, keypad);
    this.root = element(
      'div',
      { class: 'call' },
      element('h2', {}, title),
      this.status,
      this.problem,
      this.words,
      this.buttons,
    );
    this.status.textContent = labels.microphone;
  }

  get isOn(): boolean {
    return this.abort !== undefined;
  }

  /** Begins a call; call it in the handler of a click. */
  async start(): Promise<void> {
    if (this.isOn) return;
    const { labels, language, workletUrl, target } = this.options;
    const { signal } = (this.abort = new AbortController());
    this.turns.clear();
    this.words.replaceChildren();
    this.words.hidden = this.problem.hidden = true;
    this.buttons.hidden = false;
    this.muteButton.disabled = true;
    this.status.textContent = labels.connecting;
    this.options.onCall(true);
    this.hangUpButton.focus();
    try {
      const onEvent = (event: WebCallEvent) => this.show(event);
      this.call = await startWebCall(target(), { onEvent, signal, language, workletUrl });
      this.muteButton.disabled = false;
    } catch (error) {
      // The person has hung up, or `ended` has shown the sentence.
      if (!signal.aborted && !(error instanceof WebCallError)) throw error;
    }
  }

  hangUp(): void {
    if (this.call) this.call.hangUp();
    else this.abort?.abort();
  }

  private show(event: WebCallEvent): void {
    switch (event.type) {
      case 'status':
        return this.showStatus(event.status);
      case 'levels':
        return [event.input, event.output].forEach((level, index) => {
          this.meters[index]!.style.transform = `scaleX(${Math.min(1, Math.sqrt(level)).toFixed(2)})`;
        });
      case 'transcript':
        return this.showTurn(event);
      case 'problem':
        return this.showProblem(event.message);
      case 'ended':
        return this.showEnd(event.message);
      default:
    }
  }

  private showStatus(status: string): void {
    const { labels } = this.options;
    const shown: Record<string, string> = {
      connecting: labels.connecting,
      pending: labels.connecting,
      ringing: labels.ringing,
      reconnecting: labels.reconnecting,
    };
    this.status.textContent = shown[status] ?? labels.inProgress;
  }

  /** A turn grows while it is spoken; the reader hears it when it is final, because only then its text is announced. */
  private showTurn({ role, text, turn, final }: TranscriptMessage): void {
    const { labels } = this.options;
    const key = `${role} ${turn}`;
    let line = this.turns.get(key);
    if (!line) {
      const who = role === 'user' ? labels.you : role === 'agent' ? labels.agent : labels.person;
      line = element('p', { class: role }, element('b', {}, who), element('span'));
      this.turns.set(key, line);
      this.words.append(line);
      this.words.hidden = false;
    }
    line.ariaBusy = String(!final);
    line.lastElementChild!.textContent = text;
    this.problem.hidden = true;
    this.words.scrollTop = this.words.scrollHeight;
  }

  private showProblem(message: string): void {
    this.problem.textContent = message;
    this.problem.hidden = false;
  }

  private showEnd(message: string | undefined): void {
    this.call = undefined;
    this.abort = undefined;
    this.muteButton.textContent = this.options.labels.mute;
    this.muteButton.ariaPressed = 'false';
    this.buttons.hidden = true;
    this.status.textContent = message === undefined ? this.options.labels.ended : '';
    if (message !== undefined) this.showProblem(message);
    this.options.onCall(false);
  }

  private toggleMute(): void {
    if (!this.call) return;
    const muted = !this.call.muted;
    this.call.mute(muted);
    this.muteButton.textContent = muted ? this.options.labels.unmute : this.options.labels.mute;
  }
}
