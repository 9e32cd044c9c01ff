import { describe, expect, it } from '@jest/globals';
import { type ConnectionEvent, type ConnectionState, firstConnection, nextConnection } from './connection-state.js';

const START = 1_000;
const closed = (code: number): ConnectionEvent => ({ type: 'closed', code });
const READY: ConnectionEvent = { type: 'ready' };
const RETRY: ConnectionEvent = { type: 'retry' };

/** The state after events, each with the milliseconds since the first attempt. */
const after = (...events: [ConnectionEvent, number][]): ConnectionState =>
  events.reduce((state, [event, ms]) => nextConnection(state, event, START + ms), firstConnection(START));

describe('the connection of a call', () => {
  it.each<[string, [ConnectionEvent, number][], Partial<ConnectionState>]>([
    ['is open when the service says so', [[READY, 100]], { name: 'open' }],
    [
      'has ended after a normal close',
      [
        [READY, 0],
        [closed(1000), 9],
      ],
      { name: 'ended' },
    ],
    [
      'is tried again at once when it is lost',
      [
        [READY, 0],
        [closed(1006), 500],
      ],
      { name: 'waiting', since: START + 500, retryAt: START + 500, resumes: true },
    ],
    [
      'waits longer after each attempt',
      [
        [READY, 0],
        [closed(1006), 500],
        [RETRY, 500],
        [closed(1006), 510],
      ],
      { name: 'waiting', attempt: 2, retryAt: START + 760 },
    ],
    [
      'is tried again when an api process stops',
      [
        [READY, 0],
        [closed(1001), 500],
      ],
      { name: 'waiting' },
    ],
    [
      'is tried again when the service has got no frames',
      [
        [READY, 0],
        [closed(4408), 500],
      ],
      { name: 'waiting' },
    ],
    [
      'is tried again when its dialer cannot be reached',
      [
        [READY, 0],
        [closed(4503), 500],
      ],
      { name: 'waiting' },
    ],
    [
      'forgets earlier attempts when it is open again',
      [
        [READY, 0],
        [closed(1006), 500],
        [RETRY, 500],
        [READY, 600],
        [closed(1006), 9_000],
      ],
      { name: 'waiting', attempt: 1, since: START + 9_000 },
    ],
    [
      'is given up when 10 s have passed',
      [
        [READY, 0],
        [closed(1006), 500],
        [RETRY, 500],
        [closed(1006), 10_501],
      ],
      { name: 'ended', error: 'connection_lost' },
    ],
    [
      'is not tried at a time when the call is over',
      [
        [READY, 0],
        [closed(1006), 0],
        [RETRY, 0],
        [closed(1006), 1],
        [RETRY, 251],
        [closed(1006), 252],
        [RETRY, 752],
        [closed(1006), 9_100],
      ],
      { name: 'ended', error: 'connection_lost' },
    ],
    [
      'is lost when the resume token is refused',
      [
        [READY, 0],
        [closed(1006), 500],
        [RETRY, 500],
        [closed(4401), 510],
      ],
      { name: 'ended', error: 'connection_lost' },
    ],
    [
      'is lost when the call has ended meanwhile',
      [
        [READY, 0],
        [closed(1006), 500],
        [RETRY, 500],
        [closed(4404), 510],
      ],
      { name: 'ended', error: 'connection_lost' },
    ],
    [
      'is lost when the first attempt used the token and got no answer',
      [
        [closed(1006), 500],
        [RETRY, 500],
        [closed(4401), 510],
      ],
      { name: 'ended', error: 'connection_lost' },
    ],
    ['is tried again before it was ever open', [[closed(1006), 20]], { name: 'waiting', resumes: false }],
    [
      'is unavailable when it was never open',
      [
        [closed(1006), 20],
        [RETRY, 20],
        [closed(1006), 10_001],
      ],
      { name: 'ended', error: 'unavailable' },
    ],
    ['names a token that was used or has expired', [[closed(4401), 20]], { name: 'ended', error: 'token_invalid' }],
    ['names an origin that may not call', [[closed(4403), 20]], { name: 'ended', error: 'not_allowed' }],
    ['names a call that does not exist', [[closed(4404), 20]], { name: 'ended', error: 'call_not_found' }],
    ['names a limit', [[closed(4429), 20]], { name: 'ended', error: 'limit_reached' }],
    ['names the lack of a dialer', [[closed(4503), 20]], { name: 'ended', error: 'unavailable' }],
    [
      'gives way to another window',
      [
        [READY, 0],
        [closed(4409), 20],
      ],
      { name: 'ended', error: 'replaced' },
    ],
    [
      'fails for a message that the service rejects',
      [
        [READY, 0],
        [closed(4400), 20],
      ],
      { name: 'ended', error: 'failed' },
    ],
    [
      'ends when the person hangs up while it is lost',
      [
        [READY, 0],
        [closed(1006), 0],
        [{ type: 'hang_up' }, 1],
      ],
      { name: 'ended' },
    ],
    [
      'stays ended',
      [
        [{ type: 'hang_up' }, 1],
        [closed(1006), 2],
        [READY, 3],
        [RETRY, 4],
      ],
      { name: 'ended' },
    ],
    [
      'ignores a retry that is not due',
      [
        [READY, 0],
        [RETRY, 1],
      ],
      { name: 'open' },
    ],
    [
      'ignores a second close',
      [
        [READY, 0],
        [closed(1006), 5],
        [closed(4401), 6],
      ],
      { name: 'waiting', retryAt: START + 5 },
    ],
  ])('%s', (_title, events, expected) => {
    const state = after(...events);
    expect(state).toMatchObject(expected);
    expect('error' in state).toBe('error' in expected);
  });
});
