import type { TransferMode } from '@app/agents';
import { describe, expect, it } from '@jest/globals';
import { acceptanceIn, nextTransferStep, type TransferEvent, type TransferStage } from './warm-transfer.js';

const STAGES: TransferStage[] = ['ringing', 'connecting', 'screening', 'briefing', 'joined', 'over'];
const EVENTS: TransferEvent[] = [
  { type: 'answered' },
  { type: 'reached' },
  { type: 'person' },
  { type: 'machine', isFax: false },
  { type: 'machine', isFax: true },
  { type: 'key', key: '1' },
  { type: 'key', key: '2' },
  { type: 'key', key: '5' },
  { type: 'voice', accepts: true },
  { type: 'voice', accepts: false },
  { type: 'waited' },
  { type: 'leg_ended' },
  { type: 'cancelled' },
];

/** Follows the events from the dialling on. */
function follow(mode: TransferMode, events: TransferEvent[]) {
  let stage: TransferStage = 'ringing';
  const actions: string[] = [];
  const results: object[] = [];
  for (const event of events) {
    const step = nextTransferStep(stage, event, mode);
    stage = step.stage;
    if (step.action) actions.push(step.action);
    if (step.result) results.push(step.result);
  }
  return { stage, actions: actions.join(' '), result: results };
}

const [ANSWERED, REACHED, PERSON] = EVENTS as [TransferEvent, TransferEvent, TransferEvent];
const BRIEFED = [ANSWERED, REACHED, PERSON];
const key = (digit: string): TransferEvent => ({ type: 'key', key: digit });
const voice = (accepts: boolean): TransferEvent => ({ type: 'voice', accepts });
const declined = (reason: string) => [{ type: 'declined', reason }];
const accepted = (by: string | null) => [{ type: 'accepted', by }];

describe('an attempt of a warm transfer', () => {
  it.each<[string, TransferEvent[], string, object[]]>([
    ['key 1', [...BRIEFED, key('1')], 'joined', accepted('key')],
    ['words that accept', [...BRIEFED, voice(true)], 'joined', accepted('voice')],
    ['key 2', [...BRIEFED, key('2')], 'over', declined('key')],
    ['words that decline', [...BRIEFED, voice(false)], 'over', declined('voice')],
    ['no reaction', [...BRIEFED, { type: 'waited' }], 'over', declined('no_reaction')],
    ['a hang-up in the briefing', [...BRIEFED, { type: 'leg_ended' }], 'over', declined('hung_up')],
    ['a mailbox', [ANSWERED, REACHED, { type: 'machine', isFax: false }], 'over', declined('voicemail')],
    ['a beep in the briefing', [...BRIEFED, { type: 'machine', isFax: false }], 'over', declined('voicemail')],
    ['a fax', [ANSWERED, REACHED, { type: 'machine', isFax: true }], 'over', declined('fax')],
    ['a busy phone', [{ type: 'leg_ended' }], 'over', [{ type: 'failed' }]],
    ['a caller who leaves while it rings', [{ type: 'cancelled' }], 'over', [{ type: 'cancelled' }]],
    ['a caller who leaves in the briefing', [...BRIEFED, { type: 'cancelled' }], 'over', [{ type: 'cancelled' }]],
    ['key 1 before the briefing', [ANSWERED, REACHED, key('1')], 'joined', accepted('key')],
    ['key 1 while the extension is dialled', [ANSWERED, key('1')], 'connecting', []],
    ['another key', [...BRIEFED, key('5')], 'briefing', []],
    ['a hang-up while the extension is dialled', [ANSWERED, { type: 'leg_ended' }], 'over', declined('hung_up')],
  ])('with %s', (_, events, stage, result) => {
    expect(follow('warm', events)).toMatchObject({ stage, result });
  });

  it('joins the legs once, whatever the person presses and says', () => {
    const { actions, result } = follow('warm', [...BRIEFED, key('1'), voice(true), key('2'), key('1'), ANSWERED]);
    expect(actions).toBe('dial_extension screen await_decision join');
    expect(result).toEqual(accepted('key'));
  });

  it('is joined without a briefing when it is cold', () => {
    expect(follow('cold', [ANSWERED, REACHED])).toEqual({
      stage: 'joined',
      actions: 'dial_extension join',
      result: accepted(null),
    });
  });

  it.each(STAGES)('ends from %s with the leg and with the call, and never goes on after that', (stage) => {
    for (const event of [{ type: 'leg_ended' }, { type: 'cancelled' }] as const)
      expect(nextTransferStep(stage, event, 'conference').stage).toBe('over');
    for (const event of EVENTS) expect(nextTransferStep('over', event, 'warm')).toEqual({ stage: 'over' });
  });

  it('hangs up the second leg in every step that ends it itself', () => {
    const live = STAGES.filter((one) => one !== 'over');
    const events = EVENTS.filter(({ type }) => type !== 'leg_ended');
    const steps = live.flatMap((stage) => events.map((event) => nextTransferStep(stage, event, 'warm')));
    const last = steps.filter(({ stage }) => stage === 'over');
    expect(last.map(({ action }) => action)).toEqual(last.map(() => 'hang_up'));
  });
});

describe('the answer of a person', () => {
  it.each<[string, string | undefined, boolean | undefined]>([
    ['Yes, please.', 'en-GB', true],
    ['Yeah, put her through', undefined, true],
    ['No, sorry.', 'en', false],
    ['Yes, but not now', 'en', false],
    ['Who is that?', 'en', undefined],
    ['I know him', 'en', undefined],
    ['Ja, gerne!', 'de-DE', true],
    ['Das geht jetzt nicht', 'de', false],
    ['Yes', 'de', true],
    ['Oui, d’accord.', 'fr', true],
    ['Sí, claro', 'es', true],
    ['Não, mais tarde', 'pt-BR', false],
    ['Ja hoor, prima', 'nl', true],
    ['', 'it', undefined],
  ])('"%s" in %s is %s', (words, language, expected) => {
    expect(acceptanceIn(words, language)).toBe(expected);
  });
});
