import { describe, expect, it } from '@jest/globals';
import { PipelineCall } from '../../../../test/pipeline-call.js';
import { CHARACTER_MS, ScriptedModel } from '../../../../test/scripted-legs.js';
import { userSpeech } from '../../../../test/test-call.js';
import { totalUsage } from '../../../usage.js';

const LONG = 'We have green tea today. We have black tea today. We have white tea today. We have oolong tea today.';

describe('the turn of the user', () => {
  it('ends 300 ms after a sentence, and its evidence is reported', async () => {
    const call = await PipelineCall.start();
    await call.userSays(800, { final: 'I want tea.' });
    expect(call.of('response_started')).toEqual([]);
    await call.line.run(400);
    expect(call.of('turn_decision')).toMatchObject([
      {
        decision: {
          outcome: 'turn_ended',
          reason: 'silence_after_punctuation',
          text: 'I want tea.',
          waitedMs: expect.any(Number),
        },
      },
    ]);
    expect(call.of('turn_decision')[0]!.decision.waitedMs).toBeLessThan(400);
    const [started] = call.of('speech_started');
    expect(call.of('speech_stopped')).toMatchObject([{ itemId: started!.itemId }]);
    expect(call.of('user_text')).toEqual([{ type: 'user_text', itemId: started!.itemId, text: 'I want tea.' }]);
    await call.line.run(400);
    expect(call.said).toBe('Very well.');
  });

  it('is one turn with its pauses, in several parts', async () => {
    const call = await PipelineCall.start();
    await call.userSays(600, { final: 'I want' });
    await call.line.run(500);
    await call.userSays(600, { final: 'green tea, and' });
    await call.line.run(1_000);
    await call.userSays(600, { final: 'a cake.' });
    await call.line.run(500);
    expect(call.of('user_text').map(({ text }) => text)).toEqual(['I want green tea, and a cake.']);
    expect(call.of('speech_started')).toHaveLength(1);
    expect(call.of('response_started')).toHaveLength(1);
  });

  it('that goes on before the answer is heard is answered once, with all words', async () => {
    const call = await PipelineCall.start({
      options: { turns: { speculation: false } },
      models: (line) => [
        new ScriptedModel(line, ({ messages }) => `I heard ${messages.length} parts.`, [], { firstMs: 900, nextMs: 0 }),
      ],
    });
    await call.userSays(600, { final: 'I want tea.' });
    await call.line.until(() => call.of('response_started').length === 1, 500);
    await call.userSays(600, { interim: 'and', final: 'And cake.' });
    await call.line.run(2_500);
    expect(call.of('response_done').map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    expect(call.said).toBe('I heard 2 parts.');
  });

  it('ends on the opinion of the transcriber', async () => {
    const call = await PipelineCall.start();
    await call.userSays(600, { final: 'I want tea' });
    call.ear.last.emit({ type: 'end_of_turn', atMs: call.ear.last.sentMs });
    await call.line.run(260);
    expect(call.outcomes).toEqual(['turn_ended: vendor_end_of_turn']);
  });

  it('ends when a transcriber that ends turns says so, however long the pause; the model begins at its early opinion', async () => {
    const call = await PipelineCall.start();
    const { ear } = call;
    ear.endsTurns = true;
    await call.userSays(600, {});
    ear.last.interim('I want tea.');
    await call.line.run(1_000);
    expect([call.outcomes, call.model.requests.length]).toEqual([[], 0]);
    ear.last.emit({ type: 'may_end', atMs: ear.last.sentMs });
    await call.line.run(100);
    expect([call.outcomes, call.model.requests.length]).toEqual([[], 1]);
    ear.last.emit({ type: 'resumed', atMs: ear.last.sentMs });
    ear.last.interim('I want tea. And a');
    await call.line.run(2_500);
    ear.last.interim('I want tea. And a cake.');
    ear.last.emit({ type: 'may_end', atMs: ear.last.sentMs });
    await call.line.run(100);
    ear.last.final('I want tea. And a cake.', 0);
    ear.last.emit({ type: 'end_of_turn', atMs: ear.last.sentMs });
    await call.line.run(40);
    expect(call.outcomes).toEqual(['turn_ended: vendor_end_of_turn']);
    expect(call.of('user_text')).toMatchObject([{ text: 'I want tea. And a cake.' }]);
    await call.line.run(600);
    expect([call.said, call.model.requests.length]).toEqual(['Very well.', 2]);
  });

  it('without words is noise after two seconds, and is not answered', async () => {
    const call = await PipelineCall.start();
    call.ear.last.interim('');
    await call.userSays(600);
    call.ear.last.interim('');
    await call.line.run(3_000);
    expect(call.outcomes).toEqual(['noise: no_words']);
    expect(call.model.requests).toEqual([]);
  });

  it('that is too soft for the detector is heard by its words', async () => {
    const call = await PipelineCall.start();
    await call.line.run(1_000);
    call.ear.last.final('A tea please.', 200);
    await call.line.run(900);
    expect(call.of('user_text')).toMatchObject([{ text: 'A tea please.' }]);
    expect(call.said).toBe('Very well.');
  });

  it('late final words of an ended turn are not a new turn', async () => {
    const call = await PipelineCall.start();
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.run(600);
    expect(call.outcomes).toEqual(['turn_ended: silence_after_punctuation']);
    call.ear.last.emit({ type: 'final', text: 'I want teas.', words: [], startMs: 0, endMs: 800 });
    await call.line.run(1_500);
    expect(call.of('user_text')).toHaveLength(1);
    expect(call.model.requests).toHaveLength(1);
  });

  it('words after an ended turn are new, although the transcriber repeats the old ones', async () => {
    const call = await PipelineCall.start();
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.until(() => call.of('response_done').length === 1, 2_000);
    await call.line.run(1_500);
    await call.userSays(800);
    call.ear.last.interim('I want tea. And a cake.');
    await call.line.run(800);
    expect(call.of('user_text').map(({ text }) => text)).toEqual(['I want tea.', 'And a cake.']);
  });
});

describe('speech over the agent', () => {
  it('that acknowledges does not interrupt, and is not answered', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 1_600);
    await call.userSays(300, { interim: 'mhm', final: 'Mhm.' });
    await call.line.run(7_000);
    expect(call.outcomes).toEqual(['acknowledgement: only_acknowledgements']);
    expect([call.of('not_interrupted').length, call.of('interrupted').length]).toEqual([1, 0]);
    expect(call.of('user_text')).toMatchObject([{ text: 'Mhm.' }]);
    expect(call.of('response_done')).toMatchObject([{ status: 'completed' }]);
    expect(call.model.requests).toEqual([]);
    expect(call.said).toBe(LONG);
  });

  it('with words interrupts, and the model remembers what was heard by the times of the words', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 1_600);
    await call.userSays(700, { interim: 'wait', final: 'Wait please.' });
    await call.line.run(1_500);
    expect(call.outcomes).toEqual(['interruption: words', 'turn_ended: silence_after_punctuation']);
    const heardMs = 1_600 + 340;
    const heard = LONG.slice(0, Math.ceil(heardMs / CHARACTER_MS));
    const [agent, user] = call.asked;
    expect(agent).toMatch(/^assistant: We have green tea today\. We have black(?: tea)? \[interrupted\]$/);
    expect(Math.abs(agent!.length - 'assistant:  [interrupted]'.length - heard.length)).toBeLessThanOrEqual(8);
    expect(user).toBe('user: Wait please.');
  });

  it('an acknowledgement that goes on is an interruption', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 1_600);
    await call.userSays(400, { interim: 'okay' });
    await call.userSays(600, { interim: 'okay but', final: 'Okay but wait.' });
    await call.line.run(600);
    expect(call.outcomes.at(-2)).toBe('interruption: words');
    expect(call.of('user_text')).toMatchObject([{ text: 'Okay but wait.' }]);
  });

  it('without words is noise, for which nothing stops', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 1_600);
    await call.userSays(300);
    await call.line.run(900);
    expect(call.outcomes).toEqual(['noise: no_words']);
    expect(call.of('not_interrupted')).toHaveLength(1);
    await call.line.run(6_000);
    expect(call.said).toBe(LONG);
  });

  it('"hello" meets the greeting without interrupting it; later it interrupts', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 600);
    await call.userSays(300, { interim: 'Hallo?', final: 'Hallo?' });
    await call.line.run(800);
    expect(call.outcomes).toEqual(['acknowledgement: only_acknowledgements']);
    await call.userSays(300, { interim: 'Hallo?', final: 'Hallo?' });
    expect(call.of('interrupted')).toHaveLength(1);
  });

  it('an answer to the last words of the agent is a turn, even if it is a short "okay"', async () => {
    const call = await PipelineCall.start();
    await call.agentSays('Do you want the green tea?', 900);
    await call.userSays(300, { final: 'Okay.' });
    await call.line.run(1_500);
    expect(call.outcomes).toEqual(['turn_ended: silence_after_punctuation']);
    expect(call.asked).toEqual(['assistant: Do you want the green tea?', 'user: Okay.']);
  });

  it('the own words of the agent do not interrupt', async () => {
    const call = await PipelineCall.start({ options: { turns: { acknowledgements: ['roger that'] } } });
    await call.agentSays(LONG, 1_600);
    await call.userSays(500, { interim: 'roger', final: 'Roger that!' });
    expect(call.of('interrupted')).toHaveLength(1);
    const other = await PipelineCall.start({ options: { turns: { acknowledgements: ['roger that'] } } });
    await other.agentSays(LONG, 1_600);
    await other.userSays(500, { final: 'Roger that!' });
    await other.line.run(500);
    expect(other.of('interrupted')).toHaveLength(0);
  });
});

describe('an answer that begins before the turn has ended', () => {
  it('is used when the words stay the same, and costs one request', async () => {
    const call = await PipelineCall.start();
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.run(120);
    expect(call.model.requests).toHaveLength(1);
    expect(call.of('response_started')).toEqual([]);
    call.ear.last.final('I want tea!', 0);
    await call.line.run(900);
    expect(call.model.requests).toHaveLength(1);
    expect(call.of('first_token')).toHaveLength(1);
    expect(call.said).toBe('Very well.');
    expect(totalUsage(call.of('usage').flatMap(({ items }) => items))).toContainEqual(
      expect.objectContaining({ kind: 'output_text_tokens', quantity: 0.002 }),
    );
  });

  it('is discarded when the user goes on, and its usage is billed once', async () => {
    const call = await PipelineCall.start({ answer: (messages) => `You said ${messages.at(-1)!.slice(6)}` });
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.run(120);
    expect(call.model.requests).toHaveLength(1);
    await call.userSays(800, { final: 'I want tea and cake.' });
    await call.line.run(1_500);
    expect(call.said).toBe('You said I want tea and cake.');
    const own = call.of('usage').filter(({ items }) => items.some(({ kind }) => kind.endsWith('text_tokens')));
    expect(own).toHaveLength(call.model.requests.length);
  });

  it('calls its tools only after the end of the turn', async () => {
    const answer = () => ({ say: 'I look.', call: { name: 'order' } });
    const call = await PipelineCall.start({ answer });
    await call.userSays(800, { interim: 'Order tea.' });
    await call.line.run(180);
    expect([call.model.requests.length, call.of('tool_call').length]).toEqual([1, 0]);
    await call.line.run(600);
    expect(call.model.requests).toHaveLength(1);
    expect(call.of('tool_call')).toMatchObject([{ name: 'order', toolCallId: 'call-1' }]);
    call.connection.sendToolResult('call-1', '{"ok":true}');
    call.connection.createResponse({});
    await call.line.run(100);
    expect(call.asked).toEqual([
      'user: Order tea.',
      'assistant: I look. +calls',
      expect.stringContaining('{\\"ok\\":true}'),
    ]);
  });

  it('is never begun when the agent does not want it', async () => {
    const call = await PipelineCall.start({ options: { turns: { speculation: false } } });
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.run(120);
    expect(call.model.requests).toEqual([]);
  });

  it('a failed one is repeated after the turn', async () => {
    const call = await PipelineCall.start({
      models: (line) => [new ScriptedModel(line, () => 'Very well.', [{ do: 'fail' }])],
    });
    await call.userSays(800, { interim: 'I want tea.' });
    await call.line.run(1_500);
    expect(call.said).toBe('Very well.');
    expect(call.of('closed')).toEqual([]);
  });
});

describe('the speech of the agent', () => {
  it('is synthesised at most two sentences ahead of what is played', async () => {
    const call = await PipelineCall.start();
    await call.agentSays(LONG, 200);
    expect(call.voice.requests).toHaveLength(3);
    await call.line.run(24 * CHARACTER_MS);
    expect(call.voice.requests).toHaveLength(4);
    const [first] = call.of('audio');
    expect(first!.audio.length).toBe(800);
  });

  it('repeated phrases are synthesised once', async () => {
    const call = await PipelineCall.start();
    for (let i = 1; i <= 3; i++) {
      call.connection.createResponse({ say: 'One moment, please.' });
      await call.line.until(() => call.of('response_done').length === i, 2_000);
      await call.line.run(1_500);
    }
    expect(call.voice.requests).toHaveLength(1);
    const bytes = call.of('audio').reduce((sum, { audio }) => sum + audio.length, 0);
    expect(bytes).toBe(3 * 'One moment, please.'.length * CHARACTER_MS * 8);
    expect(call.said).toBe('One moment, please. One moment, please. One moment, please.');
  });

  it('gets the spoken forms, and the transcript keeps the written ones', async () => {
    const call = await PipelineCall.start({ options: { pronunciations: [{ text: 'SQL', spoken: 'sequel' }] } });
    await call.agentSays('We teach **SQL** here. 👍', 200);
    expect(call.voice.requests.map(({ text }) => text.trim())).toEqual(['We teach sequel here.']);
    expect(call.said).toBe('We teach SQL here.');
  });

  it('follows the language of the user', async () => {
    const call = await PipelineCall.start({ options: { languages: ['en-GB'] } });
    expect(call.ear.last.request.languages).toEqual(['de-DE', 'en-GB']);
    await call.userSays(600);
    call.ear.last.emit({ type: 'final', text: 'Good morning.', words: [], startMs: 0, endMs: 600, language: 'en' });
    await call.line.run(1_500);
    expect(call.model.requests[0]!.instructions).toBe(
      'Take orders for tea.\n\nSpeak German (Germany). Answer in the language of the caller if it is British English.',
    );
    expect(call.voice.requests.at(-1)!.language).toBe('en-GB');
  });

  it('a second response is refused while one is active', async () => {
    const call = await PipelineCall.start();
    call.connection.createResponse({ say: 'Hello.' });
    call.connection.createResponse({});
    expect(call.of('response_refused')).toHaveLength(1);
  });

  it('a turn that ends during the last words is answered after them', async () => {
    const call = await PipelineCall.start();
    await call.agentSays('Do you want the green tea?', 900);
    await call.userSays(300, { final: 'Yes I do.' });
    await call.line.run(2_000);
    expect(call.of('response_done').map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});

describe('the end of a connection', () => {
  it('closes all legs, bills the audio, and leaves no timer', async () => {
    const call = await PipelineCall.start();
    call.connection.createResponse({});
    await call.line.run(400, await userSpeech(400));
    call.connection.close();
    expect(call.events.at(-1)).toEqual({ type: 'closed', reason: 'closed by the client' });
    expect(call.of('usage').flatMap(({ items }) => items)).toContainEqual(
      expect.objectContaining({ kind: 'transcription_seconds', quantity: 0.4 }),
    );
    const count = call.events.length;
    call.connection.sendText('Hello?', 'user');
    call.connection.createResponse({});
    await call.line.run(200);
    expect(call.events.filter(({ type }) => type !== 'usage').length).toBe(
      call.events.slice(0, count).filter(({ type }) => type !== 'usage').length,
    );
    expect(call.line.pendingTimers).toBe(0);
    expect(call.voice.closed).toBe(1);
  });
});
