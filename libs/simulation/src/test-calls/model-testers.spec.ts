import { loadEnv } from '@app/common';
import { TextModelsService } from '@app/agents';
import { readScenario } from '@app/agents/scenarios';
import type { SessionEvent } from '@app/voice';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chunkOf, END, EVENT_STREAM, RawServer } from '../../../../test/support/raw-server.js';
import { ModelPersona } from './model-persona.js';
import { judgeByModel } from './rubric-judge.js';

let server: RawServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const never = new AbortController().signal;
const USAGE = { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };

/** Models whose server gives these answers, one per question. */
async function modelsWith(...answers: object[]): Promise<TextModelsService> {
  let asked = 0;
  server = await RawServer.start((response) => {
    const answer = JSON.stringify(answers[Math.min(asked++, answers.length - 1)]);
    response.writeHead(200, EVENT_STREAM);
    response.end([chunkOf({ content: answer }), chunkOf({}, 'stop', USAGE), END].join(''));
  });
  const url = `http://127.0.0.1:${server.port}/v1`;
  return new TextModelsService(
    loadEnv({ COMPATIBLE_URL: url, COMPATIBLE_API_KEY: 'k', ANALYSIS_MODEL: 'openai-compatible:tiny' }),
  );
}

const turn = (role: 'agent' | 'callee', text: string, at: number): Extract<SessionEvent, { type: 'turn' }> => ({
  ...{ type: 'turn', turn: at, role, text, truncated: false },
  ...{ at_ms: at, started_ms: at, ended_ms: at + 1 },
});
const EVENTS = [
  turn('agent', 'How can I help you?', 10),
  turn('callee', 'The price?', 20),
  turn('agent', 'Three  euros.', 30),
];

describe('the rubric of a judge', () => {
  const transcript = EVENTS.map(({ role, text, started_ms, ended_ms, truncated }) => ({
    ...{ role, text, started_ms, ended_ms, truncated },
  }));
  const rubricOf = (...questions: object[]) =>
    readScenario({ steps: [{ says: 'a' }], judge: { rubric: questions } }).judge!;
  const boolean = { name: 'price', question: 'Did the agent name the price?', type: 'boolean' };
  const score = { name: 'clarity', question: 'How clear?', type: 'score', pass: 4 };
  const answer = (value: unknown, turnNumber: number, quote: string) => ({
    ...{ value, reason: 'Because.', evidence: [{ turn: turnNumber, quote }] },
  });

  it('passes answers whose quotes are in the transcript, with the turn and the times of the quote', async () => {
    const models = await modelsWith({ price: answer(true, 9, 'three euros'), clarity: answer(3, 1, 'How can I help') });
    const judged = await judgeByModel(models, rubricOf(boolean, score), { transcript, toolCalls: [] }, never);
    expect(judged.error).toBeNull();
    expect(judged.answers).toMatchObject([
      { name: 'price', value: true, passed: true, evidence: [{ turn: 3, started_ms: 30, ended_ms: 31 }] },
      { name: 'clarity', value: 3, passed: false, unsupported: false },
    ]);
    expect(judged.usage).toContainEqual(expect.objectContaining({ kind: 'input_text_tokens', quantity: 0.1 }));
  });

  it.each(['Four euros.', '', '...'])('drops an answer with the invented quote "%s"', async (quote) => {
    const models = await modelsWith({ price: answer(true, 3, quote) });
    const { answers } = await judgeByModel(models, rubricOf(boolean), { transcript, toolCalls: [] }, never);
    expect(answers).toMatchObject([{ value: null, passed: false, unsupported: true, evidence: [] }]);
  });

  it('that no model answers is an error with the reason', async () => {
    const models = new TextModelsService(loadEnv({}));
    const { answers, error } = await judgeByModel(models, rubricOf(boolean), { transcript, toolCalls: [] }, never);
    expect([answers, error]).toEqual([[], expect.stringContaining('ANALYSIS_MODEL')]);
  });
});

describe('a persona that a model plays', () => {
  const settings = {
    prompt: 'A hurried customer.',
    goal: 'Learn the price of tea.',
    language: 'de',
    max_turns: 5,
    model: undefined,
  };

  it('says what the model says, and hangs up when its goal is reached', async () => {
    const models = await modelsWith(
      { say: 'Was kostet der Tee?', hang_up: false, goal_reached: false },
      { say: 'Danke.', hang_up: false, goal_reached: true, reason: 'The price was named.' },
    );
    const persona = new ModelPersona(models, settings, never);
    expect(await persona.next('', EVENTS.slice(0, 1))).toEqual({ say: 'Was kostet der Tee?', hangsUp: false });
    expect(persona.failures()).toEqual([expect.stringContaining('did not reach its goal: Learn the price of tea.')]);
    expect(await persona.next('', EVENTS)).toEqual({ say: 'Danke.', hangsUp: true });
    expect(persona.failures()).toEqual([]);
    expect(persona.usage.length).toBeGreaterThan(1);
    expect(server!.requests[1]!.body).toContain('A hurried customer.');
    expect(server!.requests[1]!.body).toContain('Agent: Three  euros.');
  });

  it('ends the conversation with the reason when no model is configured', async () => {
    const persona = new ModelPersona(new TextModelsService(loadEnv({})), settings, never);
    expect(await persona.next('', EVENTS)).toEqual({ problem: expect.stringContaining('ANALYSIS_MODEL') });
  });
});
