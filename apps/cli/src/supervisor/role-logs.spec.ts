import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { RoleLogs } from './role-logs.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trunkline-logs-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function written(logs: RoleLogs, lines: string[]): Promise<void> {
  const stream = new PassThrough();
  logs.collect('api', stream);
  stream.end(lines.map((line) => `${line}\n`).join(''));
  await once(stream, 'close');
  logs.close();
}

describe('the logs of the child processes', () => {
  it('go to one file per role, and the last errors are kept in short form', async () => {
    const logs = new RoleLogs(home, 'files');
    const line =
      '{"level":"error","time":"t","role":"api","pid":7,"msg":"api could not start","err":{"message":"no port"},"port":3000}';
    await written(logs, ['{"level":"info","msg":"fine"}', line, 'Error: a crash']);
    expect(readFileSync(join(home, 'api.log'), 'utf8')).toContain('"msg":"fine"');
    expect(logs.lastErrors('api')).toEqual(['error: api could not start: no port (port=3000)', 'Error: a crash']);
  });

  it('rotate at 10 MB and keep one previous file', async () => {
    const megabyte = `{"level":"info","msg":"${'x'.repeat(1024 * 1024)}"}`;
    await written(
      new RoleLogs(home, 'files'),
      Array.from({ length: 13 }, () => megabyte),
    );
    expect(statSync(join(home, 'api.log')).size).toBeLessThan(4 * 1024 * 1024);
    expect(statSync(join(home, 'api.log.1')).size).toBeLessThan(12 * 1024 * 1024);
  });
});
