import { h } from './dom.js';
import { words } from './format.js';

/** Statuses by how they should feel; the word is always there, too. */
const TONES: Record<string, string> = {
  pending: 'idle',
  ringing: 'wait',
  in_progress: 'live',
  completed: 'good',
  failed: 'bad',
  cut_off: 'bad',
  busy: 'wait',
  no_answer: 'wait',
  cancelled: 'idle',
  processing: 'live',
  up: 'good',
  down: 'bad',
  unknown: 'idle',
  succeeded: 'good',
  delivered: 'good',
  queued: 'idle',
  slow: 'wait',
  dead: 'bad',
  refused: 'bad',
};

export const pill = (status: string, label = words(status)): HTMLElement =>
  h('span', { class: `pill ${TONES[status] ?? 'idle'}`, 'data-status': status }, label);
