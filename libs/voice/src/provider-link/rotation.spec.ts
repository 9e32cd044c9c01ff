import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import { transcriptOf } from '../transcript/transcript.js';

async function expiring() {
  const provider = new PuppetProvider();
  const call = answeredCall({ provider: () => provider });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  const [first] = provider.connections;
  provider.last.respond('Hello and welcome.', 1_000);
  await call.line.run(200);
  provider.last.emit({ type: 'expiring', inMs: 60_000 });
  return { provider, call, first: first! };
}

describe('an expiring connection', () => {
  it('an expiring connection is replaced silently after the agent has finished speaking', async () => {
    const { provider, call } = await expiring();
    await call.line.run(600);
    expect(provider.connections).toHaveLength(1);
    await call.line.run(400);
    expect(provider.connections).toHaveLength(2);
    expect(provider.last.request.history).toEqual([{ role: 'agent', text: 'Hello and welcome.' }]);
    expect(provider.last.asked).toEqual([]);
    expect(call.of('provider_rotated')).toHaveLength(1);
    expect(call.of('provider_lost')).toEqual([]);
    provider.last.respond('Here I am.', 200);
    await call.line.run(400);
    expect(transcriptOf(call.events).map(({ text }) => text)).toEqual(['Hello and welcome.', 'Here I am.']);
  });

  it('an expiring connection is kept while the user speaks', async () => {
    const { provider, call, first } = await expiring();
    first.emit({ type: 'speech_started', itemId: 'c', audioMs: 1_000 });
    await call.line.run(3_000);
    expect(provider.connections).toHaveLength(1);
    first.emit({ type: 'speech_stopped', itemId: 'c', audioMs: 3_000 });
    first.emit({ type: 'user_text', itemId: 'c', text: 'Good morning.' });
    await call.line.run(100);
    expect(provider.connections).toHaveLength(2);
  });

  it('an expiring connection stays in use when its replacement fails, and the next attempt follows after 5 s', async () => {
    const { provider, call } = await expiring();
    provider.failures = [new Error('503')];
    await call.line.run(2_000);
    expect(call.of('error')).toMatchObject([{ code: 'rotation_failed' }]);
    expect(provider.attempts).toBe(2);
    await call.line.run(5_000);
    expect(provider.connections).toHaveLength(2);
    expect(call.end()).toBeUndefined();
  });
});
