import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SandboxServer } from '@app/sandbox';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../../support/eventually.js';
import { codeBlocks } from '../../support/page-code.js';
import { type StartedService, startService } from '../../support/running-service.js';
import { startSandboxModel } from '../../support/sandbox-model.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const run = promisify(execFile);

/** The vendor of the model, its list of models, and the carrier. */
let model: SandboxServer;
let vendor: WebhookReceiver;
let carrier: SandboxPhone;
let service: StartedService;
let stop: () => Promise<void>;
let folder: string;

beforeAll(async () => {
  model = await startSandboxModel();
  vendor = await WebhookReceiver.start();
  vendor.answer = (_request, response) => response.writeHead(200).end('{}');
  const log = { debug: () => {}, warn: () => {} };
  carrier = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: 27_500, max: 27_599 },
    ringMs: 50,
    log,
  });
  ({ running: service, stop } = await startService({
    OPENAI_API_KEY: 'a-key',
    OPENAI_URL: vendor.url('/v1'),
    REALTIME_URL: `ws://127.0.0.1:${model.port}/v1/realtime`,
    REALTIME_API_KEY: model.key,
  }));
  // The commands of the page run in the folder of the clone, where `.trunkline` is.
  folder = await mkdtemp(join(tmpdir(), 'trunkline-go-live-'));
  await symlink(resolve('bin'), join(folder, 'bin'));
  await symlink(service.env.TRUNKLINE_HOME ?? '', join(folder, '.trunkline'));
});

afterAll(async () => {
  await stop?.();
  await carrier?.close();
  await vendor?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The commands of the page in order, with the addresses and numbers of this test. `npm start` is what `beforeAll` did. */
function commands(): string {
  const values: Record<string, string> = {
    'http://localhost:3000': service.baseUrl,
    'sip.example.net': '127.0.0.1',
    'CARRIER_PORT=5060': `CARRIER_PORT=${carrier.port}`,
    '"allow":["+49"]': '"allow":["+49","+1555"]',
    '+4915112345678': '+15550001198',
  };
  return codeBlocks('docs/integrate/go-live.md', 'sh')
    .filter((block) => !block.includes('npm start'))
    .map((block) => Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), block))
    .join('\n');
}

it('leads from the sandbox to a model, a carrier and back', async () => {
  const all = commands();
  // A reader waits for the end of the call before looking at it.
  const [first, second] = all.split('bin/trunkline calls show');
  const wait = `until bin/trunkline calls show "$CALL" --account demo | grep -q "^ended_at: 2"; do sleep 0.2; done\nbin/trunkline calls show`;
  const script = `set -euo pipefail\n${first}${wait}${second}`;
  const env = { ...service.env, TRUNKLINE_HOME: '.trunkline' };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, timeout: PATIENCE_MS });
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^ok +openai +answers in \d+ ms and accepts the key$/);
  expect(stdout).toMatch(/^agent \d+$/m);
  expect(stdout).toContain("[ 'You wrote: When are you open.' ]");
  expect(stdout).toMatch(/^sip:\+15550001111@127\.0\.0\.1:\d+$/m);
  expect(stdout).toMatch(/^5\nup\n/m);
  expect(stdout).toMatch(/^status: completed$/m);
  expect(stdout).toMatch(/^hangup_cause: normal_clearing$/m);
  // The way back.
  expect(lines.slice(-3)).toEqual(['1', 'false', 'false']);
});
