import { expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import type { TurnWords } from '../session-events.js';

function puppetCall() {
  const provider = new PuppetProvider();
  const words: TurnWords[] = [];
  const call = answeredCall({ provider: () => provider, onWords: (one) => words.push(one) });
  return { ...call, provider, words };
}

it("the agent's words are reported in step with the audio that was played, at most every 400 ms", async () => {
  const { line, provider, words, of } = puppetCall();
  await line.run(40);
  provider.last.respond('One two three four five six seven eight nine ten.', 2_000);
  await line.until(() => of('turn').length === 1, 4_000);
  expect(words.length).toBeGreaterThanOrEqual(4);
  expect(words.length).toBeLessThanOrEqual(6);
  expect(new Set(words.map(({ turn, role }) => `${turn} ${role}`))).toEqual(new Set(['1 agent']));
  for (const [n, { text }] of words.entries()) {
    expect(text.startsWith(words[n - 1]?.text ?? 'One')).toBe(true);
    expect(text.length).toBeLessThan(of('turn')[0]!.text.length);
  }
});

it('words of an interrupted answer end with the last heard one', async () => {
  const { line, provider, words, of, session } = puppetCall();
  await line.run(40);
  provider.last.begin('One two three four five six seven eight nine ten.', 4_000);
  await line.run(1_200);
  session.stop('user_hangup');
  const count = words.length;
  await line.run(1_000);
  expect(words).toHaveLength(count);
  expect(of('turn')[0]!.text.startsWith(words.at(-1)!.text)).toBe(true);
});

it("the user's words appear before they are final, and stay when the final ones never come", async () => {
  const { line, provider, words, session, of } = puppetCall();
  await line.run(40);
  provider.last.emit({ type: 'speech_started', itemId: 'u1', audioMs: 0 });
  provider.last.emit({ type: 'user_interim', itemId: 'u1', text: 'Two' });
  await line.run(420);
  provider.last.emit({ type: 'user_interim', itemId: 'u1', text: 'Two teas' });
  provider.last.emit({ type: 'user_interim', itemId: 'unknown', text: 'Nothing' });
  await line.run(420);
  expect(words.map(({ role, text }) => [role, text])).toEqual([
    ['callee', 'Two'],
    ['callee', 'Two teas'],
  ]);
  session.stop('user_hangup');
  expect(of('turn').at(-1)).toMatchObject({ role: 'callee', text: 'Two teas' });
});
