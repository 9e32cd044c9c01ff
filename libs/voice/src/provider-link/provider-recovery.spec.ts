import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, userSpeech } from '../../test/test-call.js';
import { ProviderBusy, ProviderUnavailable } from '../providers/voice-provider.js';
import { transcriptOf } from '../transcript/transcript.js';

async function lostInMidSentence(failures: Error[]) {
  const provider = new PuppetProvider();
  const call = answeredCall({ provider: () => provider });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.begin('Hello, and a good morning to you all.', 1000);
  await call.line.run(200);
  provider.failures = failures;
  provider.last.emit({ type: 'closed', reason: 'socket hang up' });
  return { provider, call };
}

const refused = (count: number): Error[] => Array.from({ length: count }, () => new Error('connect ECONNREFUSED'));

describe('a provider lost in mid-sentence', () => {
  it('a lost provider is reconnected with the history: queued audio is played, and the greeting is not repeated', async () => {
    const { provider, call } = await lostInMidSentence([]);
    await call.line.until(() => provider.connections.length === 2, 1000);
    await call.line.run(400);
    provider.last.respond('I was about to say something.', 400);
    await call.line.run(1500);
    expect(provider.last.request.history).toEqual([{ role: 'agent', text: 'Hello, and a good morning to you all.' }]);
    expect(provider.last.asked).toEqual([{}]);
    expect(call.line.agentFrames).toBe(70);
    expect(call.of('provider_restored')).toMatchObject([{ attempts: 1 }]);
    expect(transcriptOf(call.events).map(({ text }) => text)).toEqual([
      'Hello, and a good morning to you all.',
      'I was about to say something.',
    ]);
    expect(transcriptOf(call.events).every(({ truncated }) => !truncated)).toBe(true);
  });

  it('keys pressed during a reconnection reach the provider', async () => {
    const { provider, call } = await lostInMidSentence([]);
    provider.onConnect = () => {
      call.line.press('7');
      call.line.press('#');
    };
    await call.line.until(() => provider.connections.length === 2, 1000);
    await call.line.run(40);
    expect(provider.last.calls).toEqual(['digits 7']);
    expect(provider.last.asked).toEqual([{}]);
  });

  it('keys pressed before the first connection are answered after the greeting', async () => {
    const provider = new PuppetProvider();
    const call = answeredCall({
      provider: (line) => {
        provider.onConnect = () => ['8', '#'].forEach((key) => line.press(key));
        return provider;
      },
    });
    await call.line.run(40);
    expect(provider.last.calls).toEqual(['digits 8']);
    expect(provider.last.asked).toEqual([{ say: expect.any(String) }]);
    provider.last.respond('Hello.', 200);
    await call.line.run(400);
    expect(provider.last.asked).toEqual([{ say: expect.any(String) }, {}]);
  });

  it('the reconnection to a lost provider is tried after 0.1, 0.5, 1 and 2 s, while the user is asked to wait', async () => {
    const { provider, call } = await lostInMidSentence(refused(3));
    await call.line.until(() => provider.connections.length === 2, 6000);
    expect(call.line.now()).toBeGreaterThanOrEqual(3800);
    await call.line.run(1000);
    expect(call.of('provider_restored')).toMatchObject([{ attempts: 4 }]);
    expect(transcriptOf(call.events).map((turn) => turn.text)).toContain('One moment, please.');
  });

  it('a provider lost permanently ends the call with an apology and the cause agent_provider_error', async () => {
    const { call } = await lostInMidSentence(refused(9));
    await call.line.until(() => call.end() !== undefined, 30_000);
    expect(call.end()).toEqual({ endedBy: 'system', cause: 'agent_provider_error' });
    const last = transcriptOf(call.events).at(-1);
    expect(last?.text).toContain('technical problem');
    expect(last?.truncated).toBe(false);
    expect(call.line.pendingTimers).toBe(0);
  });

  it('a provider that refuses permanently is not retried', async () => {
    const { provider, call } = await lostInMidSentence([new ProviderUnavailable('The key is not valid.')]);
    await call.line.until(() => call.end() !== undefined, 30_000);
    expect(provider.attempts).toBe(2);
    expect(call.of('error')).toMatchObject([{ code: 'agent_provider_error', reason: 'The key is not valid.' }]);
  });

  it('a provider that never delivers audio is given up after repeated losses', async () => {
    const provider = new PuppetProvider(undefined, (connection) =>
      setImmediate(() => connection.emit({ type: 'closed', reason: 'bye' })),
    );
    const call = answeredCall({ provider: () => provider });
    await call.line.until(() => call.end() !== undefined, 30_000);
    expect(provider.attempts).toBe(5);
    expect(call.end()?.cause).toBe('agent_provider_error');
  });
});

describe('the fallbacks of a provider', () => {
  const named = (name: string, capabilities = { cancel: true, truncate: true, transcribesUser: true }) =>
    new PuppetProvider(capabilities, undefined, name);

  async function lostWith(failures: Error[], fallbacks: PuppetProvider[]) {
    const provider = named('first');
    const call = answeredCall({ provider: () => provider, fallbacks });
    await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
    provider.last.begin('Hello, and a good morning to you all.', 1000);
    await call.line.run(200);
    provider.failures = failures;
    provider.last.emit({ type: 'closed', reason: 'socket hang up' });
    return { provider, call };
  }

  it('a fallback takes over with the history after the last attempt', async () => {
    const second = named('second');
    const { provider, call } = await lostWith(refused(9), [second]);
    await call.line.until(() => second.connections.length === 1, 10_000);
    await call.line.run(100);
    expect(provider.attempts).toBe(5);
    expect(second.last.request.history[0]).toEqual({ role: 'agent', text: 'Hello, and a good morning to you all.' });
    expect(second.last.asked).toEqual([{}]);
    expect(call.of('provider_restored')).toMatchObject([{ attempts: 5, provider: 'second' }]);
  });

  it.each([
    ['refuses permanently', new ProviderUnavailable('The key is not valid.')],
    ['asks for a long wait', new ProviderBusy('Too many sessions.', 20_000)],
  ])('a fallback takes over at once from a provider that %s', async (_, failure) => {
    const second = named('second');
    const { provider, call } = await lostWith([failure], [second]);
    await call.line.until(() => second.connections.length === 1, 500);
    expect(provider.attempts).toBe(2);
  });

  it('a provider that asks for a short wait is retried after it', async () => {
    const { provider, call } = await lostWith([new ProviderBusy('Too many sessions.', 1500)], [named('second')]);
    const lostAt = call.line.now();
    await call.line.until(() => provider.connections.length === 2, 3000);
    expect(call.line.now() - lostAt).toBeGreaterThanOrEqual(1600);
  });

  it('fallbacks take over one after the other, and only their own capabilities are used', async () => {
    const second = named('second');
    second.failures = [new ProviderUnavailable('No such model.')];
    const third = named('third', { cancel: false, truncate: false, transcribesUser: false });
    const { call } = await lostWith([new ProviderUnavailable('The key is not valid.')], [second, third]);
    await call.line.until(() => third.connections.length === 1, 500);
    third.last.begin('Where were we? A long story begins here.', 4000);
    await call.line.run(2500);
    await call.line.run(400, await userSpeech(400));
    expect(call.of('interrupted')).toHaveLength(1);
    expect(third.last.calls).toEqual([]);
  });

  it('the call ends when all fallbacks have failed', async () => {
    const second = named('second');
    second.failures = [new ProviderUnavailable('No such model.')];
    const { call } = await lostWith([new ProviderUnavailable('The key is not valid.')], [second]);
    await call.line.until(() => call.end() !== undefined, 30_000);
    expect(call.end()?.cause).toBe('agent_provider_error');
  });
});

describe('a provider that is unreachable at the answer', () => {
  it('an agent without a provider at the answer greets after the reconnection', async () => {
    const provider = new PuppetProvider();
    provider.failures = refused(1);
    const call = answeredCall({ provider: () => provider });
    await call.line.until(() => provider.connections.length === 1, 3000);
    await call.line.run(100);
    expect(provider.last.asked).toEqual([{ say: 'Hello, this is the tea house speaking.' }]);
  });
});
