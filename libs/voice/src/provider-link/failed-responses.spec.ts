import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import { FailedResponses, type FailureStep } from './failed-responses.js';
import { transcriptOf } from '../transcript/transcript.js';

/** A greeted call. `failing`: each response to it fails at once. */
async function greeted(fallbacks: PuppetProvider[] = []) {
  const provider = new PuppetProvider();
  const call = answeredCall({ provider: () => provider, fallbacks });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.respond('Hello.', 200);
  await call.line.run(400);
  let count = 0;
  const fail = (of = provider): void => {
    const responseId = `failed-${++count}`;
    of.last.emit({ type: 'response_started', responseId });
    of.last.emit({ type: 'error', code: 'server_error', message: 'The server had an error.' });
    of.last.emit({ type: 'response_done', responseId, status: 'failed' });
  };
  const answers = (of = provider) => of.last.asked.filter(({ say }) => say === undefined).length;
  return { provider, call, fail, answers };
}

describe('a response that fails while its connection lives', () => {
  it('an answer that failed once is requested again, and the user hears it', async () => {
    const { provider, call, fail, answers } = await greeted();
    fail();
    expect(answers()).toBe(1);
    provider.last.respond('Two teas, of course.', 400);
    await call.line.run(800);
    expect(call.of('provider_lost')).toEqual([]);
    expect(transcriptOf(call.events).map(({ text }) => text)).toEqual(['Hello.', 'Two teas, of course.']);
  });

  it('the fallback answers after the second failure', async () => {
    const second = new PuppetProvider(undefined, undefined, 'second');
    const { call, fail, answers } = await greeted([second]);
    fail();
    fail();
    await call.line.until(() => second.connections.length === 1, 500);
    await call.line.run(100);
    expect(answers(second)).toBe(1);
    expect(second.last.request.history).toEqual([{ role: 'agent', text: 'Hello.' }]);
    expect(call.of('provider_lost')).toMatchObject([{ reason: 'The server had an error.' }]);
  });

  it('without a fallback the provider is reconnected; when it still fails, the agent apologises and the call ends', async () => {
    const { provider, call, fail, answers } = await greeted();
    fail();
    fail();
    for (let connection = 2; connection <= 5; connection++) {
      await call.line.until(() => provider.connections.length === connection, 4_000);
      await call.line.run(40);
      expect(answers()).toBe(1);
      fail();
    }
    await call.line.until(() => call.end() !== undefined, 10_000);
    expect(call.end()?.cause).toBe('agent_provider_error');
    expect(call.of('error').at(-1)).toMatchObject({
      code: 'agent_provider_error',
      message: 'The server had an error.',
    });
    expect(transcriptOf(call.events).at(-1)?.text).toContain('technical problem');
    expect(call.line.pendingTimers).toBe(0);
  });

  it('a provider that always breaks off after some words is given up', async () => {
    const { provider, call } = await greeted();
    let answered = 0;
    for (let step = 0; step < 400 && call.end() === undefined; step++) {
      const { last } = provider;
      if (last.asked.length > 0) {
        last.asked.length = 0;
        answered++;
        const responseId = last.begin('Well,', 200);
        last.emit({ type: 'response_done', responseId, status: 'failed' });
      } else if (answered === 0) {
        answered++;
        last.emit({ type: 'response_done', responseId: last.begin('Well,', 200), status: 'failed' });
      }
      await call.line.run(100);
    }
    expect(call.end()?.cause).toBe('agent_provider_error');
    expect(answered).toBeLessThanOrEqual(7);
  });

  it('a greeting that failed is said again by the fallback', async () => {
    const provider = new PuppetProvider();
    const second = new PuppetProvider(undefined, undefined, 'second');
    const call = answeredCall({ provider: () => provider, fallbacks: [second] });
    await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
    for (const responseId of ['r1', 'r2']) {
      provider.last.emit({ type: 'response_started', responseId });
      provider.last.emit({ type: 'response_done', responseId, status: 'failed' });
    }
    await call.line.until(() => second.connections.length === 1, 500);
    await call.line.run(40);
    const greeting = { say: 'Hello, this is the tea house speaking.' };
    expect(provider.last.asked).toEqual([greeting, greeting]);
    expect(second.last.asked).toEqual([greeting]);
  });

  it('a response that failed after it called a tool is not repeated: the result is answered', async () => {
    const provider = new PuppetProvider();
    const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' }, timeoutMs: 1_000 };
    const call = answeredCall({ provider: () => provider, tools: [{ ...tool, run: () => Promise.resolve('ok') }] });
    await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
    provider.last.respond('Hello.', 200);
    await call.line.run(400);
    const responseId = 'r2';
    provider.last.emit({ type: 'response_started', responseId });
    provider.last.emit({ type: 'tool_call', responseId, toolCallId: 't1', name: 'look', arguments: '{}' });
    provider.last.emit({ type: 'response_done', responseId, status: 'failed' });
    await call.line.run(100);
    expect(provider.last.calls).toEqual(['result of t1: "ok"']);
    expect(provider.last.asked.slice(1)).toEqual([{}]);
  });

  it('an interrupted response that fails is not repeated', async () => {
    const { provider, call, answers } = await greeted();
    const responseId = provider.last.begin('Once upon a time', 4_000);
    await call.line.run(1_500);
    provider.last.emit({ type: 'interrupted' });
    provider.last.emit({ type: 'response_done', responseId, status: 'failed' });
    await call.line.run(100);
    expect(answers()).toBe(0);
  });
});

it.each<[boolean, FailureStep[]]>([
  [true, ['repeat', 'replace', 'repeat', 'replace']],
  [false, ['repeat', 'reconnect', 'reconnect', 'reconnect', 'reconnect', 'replace']],
])('failures in a row, with a fallback: %s', (hasFallback, steps) => {
  const failures = new FailedResponses();
  expect(steps.map(() => failures.failed(hasFallback))).toEqual(steps);
});

it('a complete response forgives the failures before it', () => {
  const failures = new FailedResponses();
  failures.reported('Overloaded.');
  expect([failures.failed(true), failures.reason]).toEqual(['repeat', 'Overloaded.']);
  failures.completed();
  expect([failures.failed(true), failures.reason]).toEqual([
    'repeat',
    'The responses of the provider fail without a reason.',
  ]);
});
