import { describe, expect, it } from '@jest/globals';
import { EXTENSIONS, extensionOf } from './extension.js';

describe('extensions of the sandbox phone', () => {
  it.each([
    ['answer', 'answer', { kind: 'answer' }],
    ['busy', 'busy', { kind: 'refuse', status: 486 }],
    ['no_answer', 'no_answer', { kind: 'no_answer' }],
    ['reject', 'reject', { kind: 'refuse', status: 603 }],
    ['voicemail', 'voicemail', { kind: 'voicemail' }],
    ['dtmf_menu', 'dtmf_menu', { kind: 'dtmf_menu' }],
    ['hello', 'hello', { kind: 'answer', speaksFirst: true }],
    ['echo', 'echo', { kind: 'echo' }],
    ['silent', 'silent', { kind: 'silent' }],
    ['screening', 'screening', { kind: 'machine', machine: 'screening', beepAfterMs: 0 }],
    ['late_beep_25', 'late_beep_25', { kind: 'machine', machine: 'late_beep', beepAfterMs: 25_000 }],
    ['early_music', 'early_music', { kind: 'early', audio: 'early_music' }],
    ['accept', 'accept', { kind: 'press', inputs: ['1'] }],
    ['+15550001181', 'accept', { kind: 'press', inputs: ['1'] }],
    ['+15550001182', 'decline', { kind: 'press', inputs: ['2'] }],
    ['+15550001183', 'hello', { kind: 'answer', speaksFirst: true }],
    ['+15550001184', 'fax', { kind: 'fax' }],
    ['answer-17', 'answer', { kind: 'answer' }],
    ['answer_after_2', 'answer_after_2', { kind: 'answer', ringMs: 2_000 }],
    ['hangup_after_0.5', 'hangup_after_0.5', { kind: 'hangup', afterMs: 500 }],
    ['hangup_after_3-call-9', 'hangup_after_3', { kind: 'hangup', afterMs: 3_000 }],
    ['press_8', 'press_8', { kind: 'press', inputs: ['8'] }],
    ['press_4711_2_8', 'press_4711_2_8', { kind: 'press', inputs: ['4711', '2', '8'] }],
    ['status_503', 'status_503', { kind: 'refuse', status: 503 }],
    ['+15550001111', 'answer', { kind: 'answer' }],
    ['+15550001191', 'busy', { kind: 'refuse', status: 486 }],
    ['15550001192', 'no_answer', { kind: 'no_answer' }],
    ['+15550001193', 'reject', { kind: 'refuse', status: 603 }],
    ['+15550001194', 'voicemail', { kind: 'voicemail' }],
    ['+15550001195', 'dtmf_menu', { kind: 'dtmf_menu' }],
    ['+15550001196', 'echo', { kind: 'echo' }],
    ['+15550001198', 'hangup_after_3', { kind: 'hangup', afterMs: 3_000 }],
  ])('the called user "%s" reaches the extension %s', (user, extension, behaviour) =>
    expect(extensionOf(user)).toEqual({ extension, behaviour }),
  );

  it.each([
    '',
    'nobody',
    'status_200',
    'status_700',
    'status_404.5',
    'answer_after_',
    'press_4711__8',
    'hangup_after_99999',
    'toString',
    '12',
  ])('the called user "%s" does not exist', (user) => expect(extensionOf(user)).toBeUndefined());

  it('every documented extension exists', () => {
    for (const name of Object.values(EXTENSIONS)) expect(extensionOf(name)?.extension).toBe(name);
  });
});
