import { describe, expect, it } from '@jest/globals';
import {
  type CommandedCall,
  commandFieldErrors,
  commandRefusal,
  MAX_PENDING_COMMANDS,
  redactInput,
  variableErrors,
} from './call-command.js';

const LIVE: CommandedCall = {
  status: 'in_progress',
  owner: 'dialer',
  pending: 0,
  can_transfer: false,
  declared: [],
  redaction: null,
  account_redaction: null,
};

describe('the fields of a command', () => {
  it.each([
    ['say', { text: 'Hello.', when: 'now' }, []],
    ['say', {}, ['text']],
    ['say', { text: 'Hello.', note: 'Hello.' }, ['note']],
    ['inject', { note: 'Hello.', respond: false }, []],
    ['inject', { text: 'Hello.' }, ['note', 'text']],
    ['mute_agent', {}, []],
    ['mute_agent', { when: 'now' }, ['when']],
    ['send_dtmf', {}, ['digits']],
    ['transfer', {}, []],
    ['transfer', { phone_number: '+15550002222' }, []],
    ['hang_up', { digits: '1' }, ['digits']],
  ] as const)('of type %s with %j has problems in %j', (type, input, fields) => {
    expect(Object.keys(commandFieldErrors(type, input))).toEqual(fields);
  });
});

describe('values of set_variables', () => {
  const declared = [{ name: 'order', required: false, max_length: 5 }];

  it.each([
    [{ order: '4711' }, []],
    [{ order: 4711 }, []],
    [{ order: 'too long' }, ['variables.order']],
    [{ other: '4711', order: '1' }, ['variables.other']],
    [{}, []],
  ])('%j have problems in %j', (values, fields) => {
    expect(Object.keys(variableErrors(declared, values))).toEqual(fields);
  });
});

describe('a call', () => {
  it.each([
    ['takes a command while it is in progress', 'mute_agent', {}, undefined],
    ['takes no command while it waits', 'say', { status: 'pending', owner: null }, /not been answered/],
    ['takes no command while it rings', 'say', { status: 'ringing' }, /not been answered/],
    ['names the cancellation to a caller who hangs up too early', 'hang_up', { status: 'ringing' }, /\/cancel/],
    ['takes no command after its end', 'say', { status: 'completed' }, /already ended/],
    ['takes no command after its failure', 'hang_up', { status: 'failed', owner: null }, /already ended/],
    ['needs a number for a transfer', 'transfer', {}, /phone_number/],
    ['transfers to its own number', 'transfer', { can_transfer: true }, undefined],
    ['takes another command below the limit', 'say', { pending: MAX_PENDING_COMMANDS - 1 }, undefined],
    ['takes no command at the limit', 'say', { pending: MAX_PENDING_COMMANDS }, /100 commands/],
  ] as const)('%s', (_, type, call, message) => {
    const refusal = commandRefusal({ ...LIVE, ...call }, { type, input: {} });
    expect(refusal?.message ?? '').toMatch(message ?? /^$/);
  });

  it('distinguishes a state that does not change from a limit that passes', () => {
    const kindOf = (call: Partial<CommandedCall>) =>
      commandRefusal({ ...LIVE, ...call }, { type: 'say', input: {} })?.kind;
    expect([kindOf({ status: 'busy' }), kindOf({ pending: 100 })]).toEqual(['conflict', 'too_many']);
  });
});

describe('the stored input of a command', () => {
  const call = { redaction: { kinds: ['card' as const], custom: [], audio: true }, account_redaction: null };

  it('has marks in the place of secrets; numbers to call and values of variables stay', () => {
    const input = { text: 'It is 4111 1111 1111 1111.', digits: '4111111111111111', phone_number: '+4915123456789' };
    expect(redactInput({ ...input, variables: { card: '4111111111111111' } }, call)).toEqual({
      text: 'It is [card].',
      digits: '[card]',
      phone_number: '+4915123456789',
      variables: { card: '4111111111111111' },
    });
    expect(redactInput(input, { redaction: null, account_redaction: null })).toBe(input);
  });
});
