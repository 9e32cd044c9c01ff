import { describe, expect, it } from '@jest/globals';
import { decode } from '@app/telephony';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import type { SessionSettings } from '../session-options.js';

/** A call whose agent runs a tool until `finish`. */
async function waitingCall(toolSound: SessionSettings['toolSound']) {
  const provider = new PuppetProvider();
  let finish = (): void => undefined;
  const tool = {
    name: 'look_up',
    description: 'Looks something up.',
    parameters: { type: 'object' },
    run: () => new Promise((resolve) => (finish = () => resolve({ found: true }))),
  };
  const call = answeredCall({ provider: () => provider, tools: [tool], settings: { toolSound } });
  const { line } = call;
  await line.run(40);
  provider.last.emit({ type: 'response_started', responseId: 'r1' });
  provider.last.emit({ type: 'tool_call', responseId: 'r1', toolCallId: 't1', name: 'look_up', arguments: '{}' });
  provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'completed' });
  await line.run(1_000);
  provider.last.respond('One moment, please.', 500);
  await line.run(600);
  return { ...call, provider, finish: () => finish() };
}

const peak = (frames: Buffer[]): number =>
  Math.max(...frames.flatMap((frame) => [...decode('PCMU', frame)].map((sample) => Math.abs(sample))));

describe('the sound while a tool works', () => {
  it.each(['typing', 'music'] as const)(
    '%s follows the filler phrase, quietly, and ends with the first word',
    async (kind) => {
      const { line, provider, finish, of } = await waitingCall(kind);
      const from = line.sent.length;
      await line.run(3_000);
      const during = line.sent.slice(from);
      expect(peak(during)).toBeGreaterThan(300);
      expect(peak(during)).toBeLessThan(4_000);
      finish();
      await line.run(200);
      expect(line.agentFrames).toBeGreaterThan(180);
      provider.last.respond('Here it is.', 400);
      const answered = line.sent.length;
      await line.run(400);
      expect(line.sent.slice(answered).every((frame) => frame.equals(Buffer.alloc(160, 0x10)))).toBe(true);
      await line.run(1_000);
      expect(line.sent.at(-1)).toEqual(Buffer.alloc(160, 0xff));
      expect(of('turn').map(({ text, truncated }) => [text, truncated])).toEqual([
        ['One moment, please.', false],
        ['Here it is.', false],
      ]);
    },
  );

  it('stops while the user speaks', async () => {
    const { line, provider } = await waitingCall('music');
    await line.run(200);
    provider.last.emit({ type: 'speech_started', itemId: 'u1', audioMs: 1_800 });
    await line.run(40);
    const from = line.sent.length;
    await line.run(400);
    expect(line.sent.slice(from).every((frame) => frame.equals(Buffer.alloc(160, 0xff)))).toBe(true);
  });

  it.each([undefined, 'off'] as const)('is silence by default (%s)', async (kind) => {
    const { line } = await waitingCall(kind);
    const from = line.sent.length;
    await line.run(2_000);
    expect(peak(line.sent.slice(from))).toBe(0);
  });
});
