import { describe, expect, it } from '@jest/globals';
import { loadEnv } from './env.js';
import { s3Location, storageProblem } from './s3-location.js';

describe('the address of an S3 bucket', () => {
  it.each([
    ['s3://calls', { bucket: 'calls', prefix: '', pathStyle: false }],
    ['s3://calls/?region=eu-central-1', { bucket: 'calls', prefix: '', region: 'eu-central-1', pathStyle: false }],
    [
      's3://my.calls/a/b/?endpoint=http://minio:9000&path_style=true',
      { bucket: 'my.calls', prefix: 'a/b', endpoint: 'http://minio:9000', pathStyle: true },
    ],
  ])('%s', (text, location) => expect(s3Location(text)).toEqual(location));

  it.each([
    ['s3:', 'must name a bucket'],
    ['s3://', 'must'],
    ['s3://A_B/x', 'must name a bucket'],
    ['s3://key:secret@calls', 'must not hold credentials'],
    ['s3://calls?regoin=x', 'knows no regoin, only region, endpoint, path_style'],
    ['s3://calls?endpoint=minio:9000', 'needs an endpoint with http'],
    ['s3://calls?path_style=yes', 'needs path_style to be true or false'],
    ['s3://calls/%zz', 'must have a prefix of letters'],
    ['s3://calls', 'needs ?region=… or AWS_REGION'],
    ['gs://calls', 'must begin with file: or s3://'],
  ])('%s: %s', (text, problem) => expect(storageProblem(text)).toContain(problem));

  it('is looked at when a process starts', () => {
    expect(() => loadEnv({ STORAGE_URL: 's3://calls' })).toThrow(
      /STORAGE_URL: needs \?region.*Example: STORAGE_URL=file:/,
    );
    expect(loadEnv({ STORAGE_URL: 's3://calls', AWS_REGION: 'eu-west-1' }).AWS_REGION).toBe('eu-west-1');
  });
});
