import { describe, expect, it } from '@jest/globals';
import { talkSettings } from './talk-settings.js';

const BODY = { name: 'Shop', greeting: 'Hi.', instructions: 'Sell.', voice: null, max_call_seconds: 60, model: 'm' };

describe('the settings with which an agent is tried', () => {
  it.each([
    ['published ones without an edit', [], { kind: 'published' }],
    [
      'published ones when the edits do not matter on the web',
      ['name', 'answering_machine.message'],
      { kind: 'published' },
    ],
    [
      'overrides for texts',
      ['greeting', 'max_call_seconds', 'name'],
      { kind: 'overrides', overrides: { greeting: 'Hi.', max_call_seconds: 60 } },
    ],
    ['a draft for a setting that no call can override', ['greeting', 'model'], { kind: 'draft' }],
    ['a draft for an emptied setting, because null keeps it', ['voice'], { kind: 'draft' }],
    ['a draft for the table of variables', [':variables.rows'], { kind: 'draft' }],
  ])('are %s', (_title, changed, expected) => expect(talkSettings(changed, BODY)).toEqual(expected));
});
