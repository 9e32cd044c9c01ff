import { describe, expect, it } from '@jest/globals';
import { loadEnv } from './env.js';
import { redisLocation, s3Location, storageProblem } from './store-locations.js';

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
  ])('%s is parsed', (text, location) => expect(redisLocation(text)).toEqual(location));

  it.each([
    ['amqp://rabbit', 'must be redis://'],
    ['redis://', 'must be redis://'],
    ['redis+cluster://', 'needs hosts'],
    ['redis+cluster://a:0', 'needs hosts'],
    ['redis+cluster://[nonsense]:1', 'needs hosts'],
    ['redis+cluster://a/1', 'has no databases'],
    ['redis+cluster://%zz@a', 'percent-encoded'],
    ['redis+sentinel://a:26379', 'needs the name'],
    ['redis+sentinel://a/mymaster?password=x', 'does not support the parameter password'],
  ])('%s is refused: %s', (text, problem) => expect(redisLocation(text)).toContain(problem));

  it('is validated when a process starts', () => {
    expect(() => loadEnv({ QUEUE_URL: 'redis+sentinel://a' })).toThrow(
      /QUEUE_URL: needs the name.*Example: QUEUE_URL=/,
    );
    expect(loadEnv({ QUEUE_URL: 'redis+cluster://a' }).QUEUE_URL).toBe('redis+cluster://a');
  });

  it('is required when the database is behind a pooler', () => {
    const DATABASE_URL = 'postgres://trunkline@pgbouncer:6432/trunkline?pgbouncer=true';
    expect(() => loadEnv({ DATABASE_URL })).toThrow('QUEUE_URL: must name a Redis');
    expect(loadEnv({ DATABASE_URL, QUEUE_URL: 'redis://redis' })).toMatchObject({ DATABASE_URL });
  });
});

describe('the address of an S3 bucket', () => {
  it.each([
    ['s3://calls', { bucket: 'calls', prefix: '', pathStyle: false }],
    ['s3://calls/?region=eu-central-1', { bucket: 'calls', prefix: '', region: 'eu-central-1', pathStyle: false }],
    [
      's3://my.calls/a/b/?endpoint=http://minio:9000&path_style=true',
      { bucket: 'my.calls', prefix: 'a/b', endpoint: 'http://minio:9000', pathStyle: true },
    ],
  ])('%s is parsed', (text, location) => expect(s3Location(text)).toEqual(location));

  it.each([
    ['s3:', 'must name a bucket'],
    ['s3://', 'must'],
    ['s3://A_B/x', 'must name a bucket'],
    ['s3://key:secret@calls', 'must not contain credentials'],
    ['s3://calls?regoin=x', 'does not support the parameter regoin, only region, endpoint, path_style'],
    ['s3://calls?endpoint=minio:9000', 'needs an endpoint with http'],
    ['s3://calls?path_style=yes', 'needs path_style to be true or false'],
    ['s3://calls/%zz', 'must have a prefix of letters'],
    ['s3://calls', 'needs ?region=… or AWS_REGION'],
    ['gs://calls', 'must begin with file: or s3://'],
  ])('%s is refused: %s', (text, problem) => expect(storageProblem(text)).toContain(problem));

  it('is validated when a process starts', () => {
    expect(() => loadEnv({ STORAGE_URL: 's3://calls' })).toThrow(
      /STORAGE_URL: needs \?region.*Example: STORAGE_URL=file:/,
    );
    expect(loadEnv({ STORAGE_URL: 's3://calls', AWS_REGION: 'eu-west-1' }).AWS_REGION).toBe('eu-west-1');
  });
});
