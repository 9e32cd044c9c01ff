import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { ScriptedModel, ScriptedSynthesizer, ScriptedTranscriber, scriptedPipeline } from '../../test/scripted-legs.js';
import { answeredCall, userSpeech } from '../../test/test-call.js';
import { GuardrailRules } from '../guardrails/index.js';
import type { Guardrail } from '../guardrails/guardrail.js';

const NOTICE = 'I am a virtual assistant.';
const PROMISE: Guardrail = {
  name: 'no_promise',
  on: 'agent',
  pattern: 'guaranteed',
  action: 'replace',
  text: 'I cannot promise that.',
};
const judge = (rules: Guardrail[], verdict = () => Promise.resolve(false)) =>
  new GuardrailRules(rules, 'en', verdict, 50);

function pipelineCall(rules: Guardrail[], answer: string, verdict?: () => Promise<boolean>) {
  const legs: { voice?: ScriptedSynthesizer } = {};
  const call = answeredCall({
    judge: judge(rules, verdict),
    settings: { idle: { afterMs: 60_000 }, disclosure: { language: 'en', text: NOTICE } },
    provider: (line) => {
      legs.voice = new ScriptedSynthesizer(line, [], { words: true });
      const model = new ScriptedModel(line, () => answer);
      const ear = new ScriptedTranscriber([], 'scripted-ear', ['Is it safe?']);
      return scriptedPipeline(line, { transcribers: [ear], models: [model], synthesizers: [legs.voice] });
    },
  });
  return { ...call, legs };
}

describe('a pipeline', () => {
  it('speaks the disclosure before the greeting, and a forbidden sentence is never synthesised', async () => {
    const { line, of } = pipelineCall([PROMISE], 'It is safe. The return is guaranteed. Anything else?');
    await line.run(8_000);
    expect(of('turn').map(({ text }) => text)).toEqual([NOTICE, 'Hello, this is the tea house speaking.']);
    const [played] = of('disclosure_played');
    expect(played).toMatchObject({ language: 'en', heard_ms: played!.of_ms });
    await line.run(1_000, await userSpeech(1_000));
    await line.run(12_000);
    const said = of('turn').filter(({ role }) => role === 'agent');
    expect(said.slice(2).map(({ text }) => text)).toEqual(['It is safe.', 'I cannot promise that.']);
    expect(of('guardrail_hit')).toMatchObject([{ name: 'no_promise', words: 'The return is guaranteed.' }]);
  });
});

describe('a provider whose words arrive with its audio', () => {
  it('is interrupted in the middle of its answer, and corrected', async () => {
    const puppet = new PuppetProvider();
    const { line, of } = answeredCall({ judge: judge([PROMISE]), provider: () => puppet });
    await line.run(100);
    puppet.last.respond('Hello, this is the tea house speaking.', 1_000);
    await line.run(2_000);
    puppet.last.begin('The return is guaranteed.', 4_000);
    await line.run(100);
    expect(of('guardrail_hit')).toMatchObject([{ name: 'no_promise', words: 'The return is guaranteed.' }]);
    expect(of('interrupted').at(-1)).toMatchObject({ by: 'guardrail' });
  });
});

describe('the disclosure', () => {
  it('of a call that ends in it was heard in part', async () => {
    const { line, session, of } = pipelineCall([], 'Hello.');
    await line.run(700);
    session.stop('user_hangup');
    const [played] = of('disclosure_played');
    expect(played!.heard_ms).toBeLessThan(played!.of_ms);
    expect(of('disclosure_played')).toHaveLength(1);
  });
});
