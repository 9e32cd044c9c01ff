import { h } from './dom.js';
import { clock, localTime, utc } from './format.js';

/** A time in the zone of the browser; its tooltip shows UTC. */
export const timeOf = (iso: string): HTMLTimeElement => h('time', { datetime: iso, title: utc(iso) }, localTime(iso));

/** Counts up from then. */
export const running = (since: string): HTMLElement =>
  h('span', { class: 'running', 'data-since': since }, clock(secondsSince(since)));

const secondsSince = (iso: string): number => (Date.now() - Date.parse(iso)) / 1_000;

const TICK_MS = 1_000;

/** One clock for all of them; for the life of the page. */
export function startClock(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-since]'))
      element.textContent = clock(secondsSince(element.dataset['since'] ?? ''));
  }, TICK_MS);
}
