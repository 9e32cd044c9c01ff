import type { CallEvent } from '../api/types.js';

const nameIn = ({ data: { name } }: CallEvent): string => (typeof name === 'string' && name !== '' ? name : 'A person');

/** Who listens to a call, by its events: each as often as they have joined and not left. */
export function listenersOf(events: readonly CallEvent[]): readonly string[] {
  const names: string[] = [];
  for (const event of events) {
    if (event.type === 'listener_joined') names.push(nameIn(event));
    const place = event.type === 'listener_left' ? names.indexOf(nameIn(event)) : -1;
    if (place >= 0) names.splice(place, 1);
  }
  return names;
}

/** `Ada, Ben and 2 more`. */
export function listSentence(names: readonly string[], max = 3): string {
  const distinct = [...new Set(names)];
  const shown = distinct.slice(0, max);
  const more = distinct.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
