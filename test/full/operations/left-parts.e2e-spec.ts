import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { BOUNDARY, fieldPart, fileHead } from '../../support/upload-form.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

let stack: Stack;
let account: TestAccount;

beforeAll(async () => {
  stack = await Stack.start({ workers: 0, dialers: 0 });
  account = await createAccount(stack, { name: 'acme' });
});
afterAll(() => stack?.stop());

const folder = () => join(stack.home, 'uploads');
const parts = async (): Promise<string[]> => (existsSync(folder()) ? readdir(folder()) : []);

/** As if the process had been killed that long ago. */
async function age(path: string, minutes: number): Promise<void> {
  const at = new Date(Date.now() - minutes * 60_000);
  await utimes(path, at, at);
}

/** Kills the api while a file comes in. @returns the path of what it leaves. */
async function killedUpload(): Promise<string> {
  const upload = request(`${stack.baseUrl}/api/v1/agents/${account.agentId}/knowledge-bases`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'transfer-encoding': 'chunked',
    },
  });
  const cut = once(upload, 'error');
  upload.write(fieldPart('title', 'Terms') + fieldPart('source_type', 'file') + fileHead('terms.pdf'));
  upload.write(Buffer.alloc(200_000, 'x'));
  const [name] = await eventually(parts, (names) => names.length === 1);
  await stack.kill(stack.processes.find(({ role }) => role === 'api')!);
  await cut;
  return join(folder(), String(name));
}

it('what a killed api leaves of an upload is removed by the next api, but not while another one may be writing it', async () => {
  const part = await killedUpload();
  expect(((await stat(part)).mode & 0o777).toString(8)).toBe('600');
  expect(((await stat(folder())).mode & 0o777).toString(8)).toBe('700');
  await stack.retire(await stack.add('api'));
  expect(existsSync(part)).toBe(true);
  await age(part, 7);
  await stack.add('api');
  expect(existsSync(part)).toBe(false);
});

it('a worker with the same home removes it, too, and a copy that did not reach its place in the storage', async () => {
  const copy = join(stack.home, 'storage', 'incoming', 'a.part');
  await mkdir(join(stack.home, 'storage', 'incoming'), { recursive: true });
  await writeFile(copy, 'half a file');
  const part = await killedUpload();
  for (const path of [part, copy]) await age(path, 7);
  await stack.add('worker');
  expect([part, copy].map((path) => existsSync(path))).toEqual([false, false]);
});
