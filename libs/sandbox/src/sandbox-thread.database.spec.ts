import { afterAll, describe, expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import type * as Sandbox from '@app/sandbox';
import type * as Voice from '@app/voice';
import { WebSocket } from 'ws';
import { once } from 'node:events';

const built = (path: string): URL => pathToFileURL(`${process.cwd()}/dist/${path}`);

const { SandboxThread } = (await import(built('libs/sandbox/src/index.js').href)) as typeof Sandbox;
const { SpeechThread } = (await import(built('libs/voice/src/index.js').href)) as typeof Voice;
const speech = SpeechThread.start({
  builtInVoice: built('apps/dialer/src/media/built-in-voice.js'),
  onDeath: (error) => {
    throw error;
  },
});

let died: Error[] = [];
let onDeath = (): void => undefined;
const sandbox = await SandboxThread.start({
  connectSpeech: () => speech.connect(),
  onDeath: (error) => {
    died.push(error);
    onDeath();
  },
});

afterAll(async () => {
  await sandbox.close();
  await speech.close();
});

async function connect(): Promise<WebSocket> {
  const { url, key } = sandbox.access;
  const socket = new WebSocket(`${url}?model=sandbox`, { headers: { authorization: `Bearer ${key}` } });
  await once(socket, 'message');
  return socket;
}

describe('the thread of the sandbox server', () => {
  it('restarts at the same address after it died, and clients can reconnect', async () => {
    died = [];
    const socket = await connect();
    const gone = new Promise<void>((resolve) => (onDeath = resolve));
    const cut = once(socket, 'close');
    const { url } = sandbox.access;
    // What an unforeseen fault in it does.
    await (sandbox as unknown as { worker: { terminate(): Promise<number> } }).worker.terminate();
    await Promise.all([gone, cut]);
    expect(died).toHaveLength(1);

    let again: WebSocket | undefined;
    while (!again) again = await connect().catch(() => undefined);
    expect(sandbox.access.url).toBe(url);
    again.terminate();
  });
});
