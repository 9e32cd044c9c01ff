import { describe, expect, it } from '@jest/globals';
import { didYouMean, isCountry, readWrittenNumber } from './written-number.js';

describe('a phone number as people write it', () => {
  it.each<[text: string, country: string | null, number: string]>([
    ['+49 30 123456', null, '+4930123456'],
    ['+49 (0)30 / 123-45', null, '+493012345'],
    ['+49 030 123456', null, '+4930123456'],
    ['+39 06 1234567', null, '+39061234567'],
    ['(+49) 30 123456', null, '+4930123456'],
    ['0049 30 123456', null, '+4930123456'],
    ['0049 30 123456', 'US', '+4930123456'],
    ['+1.415.555.0100', null, '+14155550100'],
    ['+15550001111', 'DE', '+15550001111'],
    ['="+4930123456"', null, '+4930123456'],
    ["'+4930123456", null, '+4930123456'],
    ['tel:+4930123456', null, '+4930123456'],
    ['\u202a+49\u00a030\u00a0123456\u202c', null, '+4930123456'],
    ['+49 30–123456', null, '+4930123456'],
    ['＋４９　３０　１２３４５６', null, '+4930123456'],
    ['030 123456', 'DE', '+4930123456'],
    ['030\u00a0123456', 'DE', '+4930123456'],
    ['０３０ １２３４５６', 'DE', '+4930123456'],
    ['0171/2345678', 'DE', '+491712345678'],
    ['(0171) 2345678', 'DE', '+491712345678'],
    ['="0171 2345678"', 'DE', '+491712345678'],
    ['030 123456-12', 'DE', '+493012345612'],
    ['4930123456', 'DE', '+4930123456'],
    ['1712345678', 'DE', '+491712345678'],
    ['0800 1234567', 'DE', '+498001234567'],
    ['(202) 555-0100', 'US', '+12025550100'],
    ['1-202-555-0100', 'US', '+12025550100'],
    ['011 49 30 123456', 'US', '+4930123456'],
    ['0011 49 30 123456', 'AU', '+4930123456'],
    ['020 7946 0018', 'GB', '+442079460018'],
    ['06 1234567', 'IT', '+39061234567'],
    ['8 (912) 345-67-89', 'RU', '+79123456789'],
    ['912 345 678', 'ES', '+34912345678'],
  ])('%j in the country %s is %s', (text, country, number) =>
    expect(readWrittenNumber(text, country)).toEqual({ number }),
  );

  it.each<[text: string, country: string | null, problem: RegExp]>([
    ['', 'DE', /^is missing$/],
    ['4,93012E+11', 'DE', /^was rounded by a spreadsheet/],
    ['030 123456', null, /^must begin with \+ and its country code, unless/],
    ['2345678', 'DE', /or with its area code as it is dialled in DE$/],
    ['4711', 'DE', /^is not a valid number in DE$/],
    ['112', 'DE', /^is not a valid number in DE$/],
    ['030 123456 / 0171 2345678', 'DE', /^is not a valid number in DE$/],
    ['030 123456 ext. 12', 'DE', /^has an extension/],
    ['+1 202 555 0100 x7', 'US', /^has an extension/],
    ['+1555', null, /^must be an E\.164 number/],
    ['+0123456789', null, /^must be an E\.164 number/],
    ['Anna', 'DE', /^must be an E\.164 number/],
    ['sip:7001@pbx.example.com', 'DE', /^must be an E\.164 number/],
  ])('%j in the country %s is not a number', (text, country, problem) =>
    expect(readWrittenNumber(text, country)).toMatchObject({ problem: expect.stringMatching(problem) }),
  );

  it.each<[unknown, string | null, string]>([
    ['0049 30 123456', null, ' Did you mean +4930123456?'],
    ['030 123456', 'DE', ' Did you mean +4930123456?'],
    ['030 123456', null, ''],
    ['7001', 'DE', ''],
    ['sip:7001@pbx.example.com', 'DE', ''],
    [4930123456, 'DE', ''],
  ])('%j in the country %s is suggested as %j', (text, country, sentence) =>
    expect(didYouMean(text, country)).toBe(sentence),
  );

  it('has a country of ISO 3166-1 alpha-2', () => {
    expect(['DE', 'US', 'XX', 'de', ''].map(isCountry)).toEqual([true, true, false, false, false]);
  });
});
