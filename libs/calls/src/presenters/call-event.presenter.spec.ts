import { expect, it } from '@jest/globals';
import type { SessionFact } from '@app/voice';
import { CALL_EVENT_TYPES, type CallEventName, callEventView, INTERNAL_EVENT_TYPES } from './call-event.presenter.js';

type Known = CallEventName | (typeof INTERNAL_EVENT_TYPES)[number];
/** Does not compile when a conversation has an event that is neither documented nor internal: names the missing one. */
const everyFactIsKnown: Exclude<SessionFact['type'], Known> extends never ? true : Exclude<SessionFact['type'], Known> =
  true;

it('every event of a conversation is documented or internal', () => {
  expect(everyFactIsKnown).toBe(true);
  for (const type of INTERNAL_EVENT_TYPES) expect(CALL_EVENT_TYPES).not.toHaveProperty(type);
});

it('an event shows its documented fields and no others', () => {
  const row = { seq: 3, at: new Date(0), type: 'error', data: { at_ms: 5, code: 'x', message: 'of ours' } };
  expect(callEventView(row)).toEqual({
    seq: 3,
    type: 'error',
    at: '1970-01-01T00:00:00.000+00:00',
    data: { at_ms: 5, code: 'x' },
  });
  const ended = { code: 'agent_provider_error', message: 'of ours', reason: 'The key was rejected.' };
  expect(callEventView({ ...row, data: ended })?.data).toEqual({
    code: 'agent_provider_error',
    reason: 'The key was rejected.',
  });
  expect(callEventView({ ...row, type: 'usage' })).toBeUndefined();
  expect(callEventView({ ...row, type: 'toString' })).toBeUndefined();
});
