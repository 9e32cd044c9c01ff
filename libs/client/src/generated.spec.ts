import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Exits with 1, and says which file is stale, when openapi.json has moved on. */
it('knows the API as openapi.json describes it', async () => {
  const checked = promisify(execFile)(process.execPath, ['scripts/client-types.mjs', '--check']);
  await expect(checked).resolves.toMatchObject({ stderr: '' });
});
