import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIND_CALL_WITH_RESULTS } from '@app/calls';
import { newId } from '@app/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { apiOf, type ApiClient } from '../../../test/support/api-client.js';
import {
  hasLoaded,
  type LoadedScripts,
  packagesLoadedTwice,
  readRecorded,
} from '../../../test/support/loaded-packages.js';
import { Stack } from '../../../test/support/stack.js';
import { createAccount } from '../../../test/support/workspace.js';

let folder: string;
let stack: Stack;
let api: ApiClient;
let recorded: LoadedScripts[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-scripts-'));
  stack = await Stack.start({
    embedder: true,
    env: {
      NODE_OPTIONS: `--require ${resolve('test/support/record-scripts.cjs')}`,
      RECORD_SCRIPTS: folder,
      MEDIA_THREADS: '1',
      DATABASE_POOL: '10',
    },
  });
  api = apiOf(stack, await createAccount(stack, { name: 'reader' }));
  recorded = readRecorded(folder);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the built service', () => {
  it.each([
    ['api', 'apps/api/src/bootstrap.js'],
    ['worker', 'apps/worker/src/bootstrap.js'],
    ['dialer', 'apps/dialer/src/bootstrap.js'],
    ['embedder', 'apps/embedder/src/bootstrap.js'],
    ['media thread', 'apps/dialer/src/media/media-worker.js'],
  ])('loads no package twice in the %s', (_name, entry) => {
    const [found] = recorded.filter((one) => hasLoaded(one, entry));
    expect(found?.scripts.length).toBeGreaterThan(50);
    expect(packagesLoadedTwice(found!)).toEqual([]);
  });

  it('loads no migration in a process that only asks whether the schema is current', () => {
    const loaded = recorded.flatMap(({ scripts }) => scripts.map(({ path }) => path));
    expect(loaded.filter((path) => path.includes('/src/migrations/'))).toEqual([]);
  });

  it('sends the reads of requests that arrive together over one database connection', async () => {
    for (let burst = 0; burst < 5; burst += 1)
      await Promise.all(
        Array.from({ length: 30 }, () => expect(api.call(newId())).rejects.toMatchObject({ status: 404 })),
      );
    const client = new Client({ connectionString: stack.database.url });
    await client.connect();
    const { rows } = await client.query(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND starts_with(query, $1)',
      [FIND_CALL_WITH_RESULTS.text.slice(0, 200)],
    );
    await client.end();
    // One at a time; a later burst may take another one of the ten in the pool.
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(4);
  });
});
