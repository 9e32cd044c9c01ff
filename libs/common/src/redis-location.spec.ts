import { describe, expect, it } from '@jest/globals';
import { loadEnv } from './env.js';
import { redisLocation } from './redis-location.js';

describe('the address of a Redis', () => {
  it.each([
    ['redis://:secret@redis:6379/1', { kind: 'single', url: 'redis://:secret@redis:6379/1' }],
    [
      'redis+sentinel://a:26379,b/mymaster',
      {
        kind: 'sentinel',
        sentinels: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 26_379 },
        ],
        name: 'mymaster',
        db: 0,
        tls: false,
      },
    ],
    [
      'rediss+sentinel://user:p%40ss@[::1]:1/calls/3?sentinel_password=other',
      {
        kind: 'sentinel',
        sentinels: [{ host: '::1', port: 1 }],
        name: 'calls',
        db: 3,
        tls: true,
        username: 'user',
        password: 'p@ss',
        sentinelPassword: 'other',
      },
    ],
    [
      'rediss+cluster://:secret@a,b:7000',
      {
        kind: 'cluster',
        nodes: [
          { host: 'a', port: 6_379 },
          { host: 'b', port: 7_000 },
        ],
        tls: true,
        password: 'secret',
      },
    ],
  ])('%s', (text, location) => expect(redisLocation(text)).toEqual(location));

  it.each([
    ['amqp://rabbit', 'must be redis://'],
    ['redis://', 'must be redis://'],
    ['redis+cluster://', 'needs hosts'],
    ['redis+cluster://a:0', 'needs hosts'],
    ['redis+cluster://[nonsense]:1', 'needs hosts'],
    ['redis+cluster://a/1', 'has no databases'],
    ['redis+cluster://%zz@a', 'percent-encoded'],
    ['redis+sentinel://a:26379', 'needs the name'],
    ['redis+sentinel://a/mymaster?password=x', 'knows no password'],
  ])('%s: %s', (text, problem) => expect(redisLocation(text)).toContain(problem));

  it('is looked at when a process starts', () => {
    expect(() => loadEnv({ QUEUE_URL: 'redis+sentinel://a' })).toThrow(
      /QUEUE_URL: needs the name.*Example: QUEUE_URL=/,
    );
    expect(loadEnv({ QUEUE_URL: 'redis+cluster://a' }).QUEUE_URL).toBe('redis+cluster://a');
  });

  it('is needed where the database is behind a pooler', () => {
    const DATABASE_URL = 'postgres://trunkline@pgbouncer:6432/trunkline?pgbouncer=true';
    expect(() => loadEnv({ DATABASE_URL })).toThrow('QUEUE_URL: a queue cannot be in a database behind a pooler');
    expect(loadEnv({ DATABASE_URL, QUEUE_URL: 'redis://redis' })).toMatchObject({ DATABASE_URL });
  });
});
