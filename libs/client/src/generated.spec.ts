import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

it('the generated types of the client match openapi.json', async () => {
  const checked = promisify(execFile)(process.execPath, ['scripts/client-types.mjs', '--check']);
  await expect(checked).resolves.toMatchObject({ stderr: '' });
});
