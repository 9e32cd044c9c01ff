import { describe, expect, it } from '@jest/globals';
import { nextInStream, POST_CALL_WAIT_MS, type Waiting } from './webhook-stream.js';

const event = (sequence: number, dueInMs: number, rest: Partial<Waiting> = {}): Waiting => ({
  type: 'call-status',
  state: 'pending',
  sequence,
  attempts: 0,
  due_in_ms: dueInMs,
  ...rest,
});
const slow = { state: 'slow' as const, attempts: 5 };
const postCall = { type: 'post-call' as const };

describe('next in a stream', () => {
  it.each<[string, Waiting[], number, number | string | undefined]>([
    ['nothing open', [], 0, undefined],
    ['the lowest sequence', [event(2, -5), event(1, -5)], 0, 1],
    ['the head blocks while it waits', [event(1, 800, { attempts: 1 }), event(2, -200_000)], 0, 'wait 800'],
    [
      'the head blocks deliveries that were read before it',
      [event(2, -5), event(1, 800, { attempts: 1 })],
      0,
      'wait 800',
    ],
    ['the head blocks for the rest of its wait', [event(1, 800, { attempts: 1 }), event(2, -5)], 300, 'wait 500'],
    ['the next one is the head of the fast lane', [event(1, 9_000, slow), event(2, 500)], 0, 'wait 500'],
    ['the head when its time has come', [event(1, 800, { attempts: 1 }), event(2, -5)], 800, 1],
    ['later events pass a head in the slow lane', [event(1, 300_000, slow), event(2, -5)], 0, 2],
    ['the fast lane before due deliveries of the slow lane', [event(1, -5, slow), event(2, -5)], 0, 2],
    ['the slow lane while the head waits', [event(1, -5, slow), event(2, 500, { attempts: 1 })], 0, 1],
    ['the slow lane alone', [event(1, 300_000, slow), event(2, 200_000, slow)], 0, 'wait 200000'],
    ['a post-call waits for the head', [event(1, 50_000, { attempts: 3 }), event(2, -5, postCall)], 0, 'wait 50000'],
    [
      'a post-call waits two minutes',
      [event(1, 200_000, { attempts: 3 }), event(2, -20_000, postCall)],
      0,
      'wait 100000',
    ],
    [
      'after two minutes the post-call passes',
      [event(1, 200_000, { attempts: 3 }), event(2, -20_000, postCall)],
      100_000,
      2,
    ],
    [
      'and is tried again without waiting anew',
      [event(1, 9_000, { attempts: 3 }), event(2, 1_000, { ...postCall, attempts: 1 })],
      1_000,
      2,
    ],
    ['a post-call as head', [event(2, -5, postCall)], 0, 2],
  ])('%s', (_, open, elapsed, expected) => {
    const next = nextInStream(open, elapsed, POST_CALL_WAIT_MS);
    const found = next && ('delivery' in next ? next.delivery.sequence : `wait ${next.waitMs}`);
    expect(found).toBe(expected);
  });
});
