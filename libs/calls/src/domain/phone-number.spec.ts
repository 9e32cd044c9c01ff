import { describe, expect, it } from '@jest/globals';
import { callerNumber, dialledNumbers } from './phone-number.js';

describe('the dialled number of an inbound call', () => {
  it.each([
    [['+15550001111'], ['+15550001111']],
    [['15550001111'], ['+15550001111']],
    [['0015550001111'], ['+15550001111']],
    [['01115550001111'], ['+15550001111']],
    [['+1 (555) 000-1111'], ['+15550001111']],
    [['trunk-user', '+15550001111', '15550001111'], ['+15550001111']],
    [
      ['5550001111', '+15550001111'],
      ['+5550001111', '+15550001111'],
    ],
    [['1001', '', 'alice', '12345678901234567890'], []],
  ])('%j stands for %j', (dialled, meant) => expect(dialledNumbers(dialled)).toEqual(meant));
});

describe('`from_number` of an inbound call', () => {
  it.each([
    [{ user: '+15550002222', host: 'carrier.example' }, '+15550002222'],
    [{ user: '0049301234567', host: 'carrier.example' }, '+49301234567'],
    [{ user: '5550002222', host: 'carrier.example' }, '5550002222'],
    [{ user: '1001', host: 'pbx.example' }, '1001'],
    [{ user: 'alice', host: 'pbx.example' }, 'sip:alice@pbx.example'],
    [{ user: '', host: 'pbx.example' }, 'sip:pbx.example'],
    [undefined, 'anonymous'],
    [{ user: 'a'.repeat(300), host: 'pbx.example' }, 'anonymous'],
    [{ user: 'a\r\nVia: b', host: 'pbx.example' }, 'anonymous'],
    [{ user: '"><script>', host: 'pbx.example' }, 'anonymous'],
  ])('from %j is %s', (caller, written) => expect(callerNumber(caller)).toBe(written));
});
