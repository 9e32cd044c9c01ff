import { afterAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { EventEmitter, once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type * as Voice from '@app/voice';

const { HearingClient, HearingThread } = (await import(
  pathToFileURL(`${process.cwd()}/dist/libs/voice/src/index.js`).href
)) as typeof Voice;

const LOUD = Buffer.alloc(160, 0x10);

const deaths = new EventEmitter();
const thread = new HearingThread((error) => deaths.emit('death', error));
afterAll(() => thread.close());

describe('the hearing thread', () => {
  it('starts with the first agent that needs it, and its end leaves the decision to energy', async () => {
    const warnings: string[] = [];
    let warned = (): void => undefined;
    const warning = new Promise<void>((resolve) => (warned = resolve));
    const log = Object.assign(createLog({ level: 'silent', role: 'test' }), {
      warn: (_: unknown, text?: string) => {
        warnings.push(text ?? '');
        if (text?.startsWith('the hearing thread ended')) warned();
      },
    });
    const client = HearingClient.connect(thread.connect(), log);
    const detector = client.voiceActivity('PCMU', {});
    detector.push(LOUD);
    thread.start();
    thread.start();
    const suppressor = client.noiseSuppressor('PCMU');
    while (suppressor.pass(LOUD).equals(LOUD) || suppressor.pass(LOUD)[80] === 0xff) {
      await new Promise((resolve) => setImmediate(resolve));
    }

    const death = once(deaths, 'death') as Promise<[Error]>;
    // What an unforeseen fault in it does.
    await (thread as unknown as { worker: { terminate(): Promise<number> } }).worker.terminate();
    const [error] = await death;
    expect(error.message).toContain('The hearing thread ended');
    await warning;
    for (let i = 0; i < 5; i++) detector.push(LOUD);
    expect(detector.speaking).toBe(true);
    suppressor.pass(LOUD);
    expect(suppressor.pass(LOUD)).toEqual(LOUD);
    expect(warnings.filter((text) => text.startsWith('the hearing thread ended'))).toHaveLength(1);
  });
});
