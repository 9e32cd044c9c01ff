import type { SessionEvent } from '@app/voice';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { HeardTurns } from './heard-turns.js';

/** A phone with a stepped clock. */
class SteppedPhone {
  nowMs = 0;
  agentHeardMs = 0;
  private speechFromMs: number | undefined;

  get isAgentSpeaking(): boolean {
    return this.speechFromMs !== undefined;
  }

  get agentSpeechMs(): number {
    return this.speechFromMs === undefined ? 0 : this.nowMs - this.speechFromMs;
  }

  get agentQuietMs(): number {
    if (this.isAgentSpeaking) return 0;
    return this.agentHeardMs === 0 ? Infinity : this.nowMs - this.agentHeardMs;
  }

  /** The agent speaks, or is silent, for so long. */
  pass(ms: number, isSpeech: boolean, tick: () => void): void {
    this.speechFromMs = isSpeech ? this.nowMs : undefined;
    for (let passed = 0; passed < ms; passed += 20) {
      this.nowMs += 20;
      if (isSpeech) this.agentHeardMs = this.nowMs;
      tick();
    }
    this.speechFromMs = undefined;
  }
}

let phone: SteppedPhone;
let turns: HeardTurns;
let events: SessionEvent[];
let running: string[];
let flushes: number;

beforeEach(() => {
  phone = new SteppedPhone();
  [events, running, flushes] = [[], [], 0];
  turns = new HeardTurns(
    phone,
    { event: (event) => void events.push(event), words: ({ text }) => void running.push(text) },
    () => (flushes += 1),
  );
});

const speech = (ms: number): void => phone.pass(ms, true, () => turns.tick());
const silence = (ms: number): void => phone.pass(ms, false, () => turns.tick());
const interim = (text: string, endMs = phone.nowMs): void => turns.heard({ type: 'interim', text, endMs });
const final = (text: string, endMs = phone.nowMs): void =>
  turns.heard({ type: 'final', text, words: [], startMs: endMs - 500, endMs });
const reported = (): unknown[] =>
  events.map((event) =>
    event.type === 'turn' ? [event.role, event.text, event.started_ms, event.ended_ms] : event.type,
  );

describe('turns of an agent that is only heard', () => {
  it('contain all sentences with short pauses, and have the times of the sound', () => {
    silence(1_000);
    speech(1_000);
    interim('Hello');
    silence(500);
    final('Hello.', 2_000);
    speech(1_000);
    silence(400);
    final('How are you?', 3_500);
    silence(200);
    expect(reported()).toEqual([]);
    silence(100);
    expect(reported()).toEqual([['agent', 'Hello. How are you?', 1_000, 3_500]]);
    expect(running).toEqual(['Hello', 'Hello.', 'Hello. How are you?']);
    expect([flushes, turns.isIdle]).toEqual([2, true]);
  });

  it('wait for words of the end of the speech', () => {
    speech(3_000);
    final('It costs', 1_000);
    silence(1_500);
    expect(reported()).toEqual([]);
    final('three euros.', 3_000);
    silence(20);
    expect(reported()).toEqual([['agent', 'It costs three euros.', 0, 3_000]]);
  });

  it('are reported once when their words never become final', () => {
    speech(1_000);
    interim('It costs three euros');
    silence(2_000);
    final('It costs three euros.', 1_000);
    silence(2_000);
    expect(reported()).toEqual([['agent', 'It costs three euros', 0, 1_000]]);
  });

  it('are complete when their words arrive late, one after the other', () => {
    speech(1_000);
    silence(2_500);
    interim('It', 600);
    silence(500);
    final('It costs three euros.', 1_000);
    silence(20);
    expect(reported()).toEqual([['agent', 'It costs three euros.', 600, 1_000]]);
  });

  it('begin with the sound after noise without words', () => {
    speech(500);
    silence(2_500);
    speech(1_000);
    final('Hello.');
    silence(700);
    expect(reported()).toEqual([['agent', 'Hello.', 3_000, 4_000]]);
  });

  it('have numbers of their own beside the words and keys of the caller', () => {
    turns.said('Good morning.', { startMs: 100, endMs: 900 });
    turns.pressed('9');
    speech(1_000);
    final('Goodbye.');
    turns.close();
    expect(reported()).toEqual([['callee', 'Good morning.', 100, 900], 'dtmf_input', ['agent', 'Goodbye.', 0, 1_000]]);
    expect(new Set(events.map((event) => 'turn' in event && event.turn)).size).toBe(3);
  });
});
