import { describe, expect, it } from '@jest/globals';
import { customProblems, SecretFinder } from './secret-finder.js';
import { SECRET_KINDS } from './redaction.js';
import { growsLinearly } from '../../../test/support/growth.js';

const finder = new SecretFinder({ kinds: [...SECRET_KINDS], custom: [] });
const redact = (text: string, before = ''): string => finder.redact(text, before).text;

describe('secrets in a text', () => {
  it.each([
    ['My card is 4111 1111 1111 1111, thanks.', 'My card is [card], thanks.'],
    ['4111-1111-1111-1111', '[card]'],
    ['41 11 11 11 11 11 11 11', '[card]'],
    ['4111111111111111', '[card]'],
    ['Amex 3782 822463 10005 and Diners 3056 930902 5904', 'Amex [card] and Diners [card]'],
    ['５５５５ ５５５５ ５５５５ ４４４４', '[card]'],
    ['4111\u200b1111\u200b1111\u200b1111', '[card]'],
    ['card\u200b4111\u2060\u20601111\u00ad1111\ufeff1111!', 'card\u200b[card]!'],
    ['4️⃣1️⃣1️⃣1️⃣ 1111 1111 1111', '[card]'],
    ['4\u03361\u03361\u03361\u0336 1111 1111 1111', '[card]'],
    ['④①①① ①①①① ¹¹¹¹ ₁₁₁₁', '[card]'],
    ['𝟰𝟭𝟭𝟭 𝟭𝟭𝟭𝟭 𝟭𝟭𝟭𝟭 𝟭𝟭𝟭𝟭', '[card]'],
    ['4111−1111－1111﹣1111', '[card]'],
    ['4111:1111;1111=1111', '[card]'],
    ['4111~1111•1111→1111', '[card]'],
    ['4111+1111?1111!1111', '[card]'],
    ['4111💳1111💳1111💳1111', '[card]'],
    ['4111\u28001111\u31641111\u180e1111', '[card]'],
    ['four\u200b one one one, one one one one — one one one one; one one one one', '[card]'],
    ['f\u200bour o\u200dne one one one one one one one one one one one one one one', '[card]'],
    ['ＤＥ８９ ３７０４ ００４４ ０５３２ ０１３０ ００', '[iban]'],
    ['DE\u200b89\u200b3704\u200b0044\u200b0532\u200b0130\u200b00', '[iban]'],
    ['anna\u200b@exam\u200dple.com or bob＠example．com', '[email] or [email]'],
    ['192\u200b.168.\u20601.20', '[ip_address]'],
    ['+49\u200b151\u200b23456789', '+[phone]'],
    ['My pass\u200bword is tiger', 'My pass\u200bword is [password]'],
    ['I was born on 12\u200b/03/1980', 'I was born on [date_of_birth]'],
    ['It is four one one one, one one one one, one one one one, one one one one.', 'It is [card].'],
    ['forty-one eleven eleven eleven eleven eleven eleven eleven', '[card]'],
    ['double five double five double five double five, five five five five, four four four four', '[card]'],
    ['four triple one, uh, one one one one, then one one one one and one one one one', '[card]'],
    ['four one one one one one one one one one one one one one one one', '[card]'],
    ['vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins', '[card]'],
    ['einundvierzig elf elf elf elf elf elf elf', '[card]'],
    ['quatre un un un, un un un un, un un un un, un un un un', '[card]'],
    ['quarante et un onze onze onze onze onze onze onze', '[card]'],
    ['cuatro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno', '[card]'],
    ['cuarenta y uno once once once once once once once', '[card]'],
    ['quattro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno', '[card]'],
    ['quarantuno undici undici undici undici undici undici undici', '[card]'],
    ['eenenveertig elf elf elf elf elf elf elf', '[card]'],
    ['Visa 4111 1111 1111 1111 12/27 123', 'Visa [card]'],
    ['The security code is 737.', 'The security code is [card].'],
    ['Die Prüfziffer lautet sieben drei sieben.', 'Die Prüfziffer lautet [card].'],
    ['My visa card expires on 03/28.', 'My visa card expires on [card].'],
    ['IBAN DE89 3704 0044 0532 0130 00 bitte', 'IBAN [iban] bitte'],
    ['GB29NWBK60161331926819', '[iban]'],
    ['fr14 2004 1010 0505 0001 3m02 606', '[iban]'],
    ['D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0', '[iban]'],
    [
      'D E acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null',
      '[iban]',
    ],
    ['NL91 ABNA 0417 1643 00.', '[iban].'],
    ['Write to anna.miller+calls@example.co.uk today', 'Write to [email] today'],
    ['anna dot miller at example dot com', '[email]'],
    ['It is a n n a at g mail dot com.', 'It is [email].'],
    ['My email is anna miller 77 at example dot com', 'My email is [email]'],
    ['anna punkt müller ät beispiel punkt de', '[email]'],
    ['anna underscore miller arobase exemple point fr', '[email]'],
    ['anna guion bajo lopez arroba ejemplo punto es', '[email]'],
    ['anna punto rossi chiocciola esempio punto it', '[email]'],
    ['anna punt jansen apenstaartje voorbeeld punt nl', '[email]'],
    ['anna at example dot co dot uk is mine', '[email] is mine'],
    ['Call +49 151 23456789.', 'Call +[phone].'],
    ['plus four nine one five one two three four five six seven eight nine', 'plus [phone]'],
    ['(415) 555-2671', '([phone]'],
    ['four one five, five five five, two six seven one', '[phone]'],
    ['0151 23456789', '[phone]'],
    ['07911 123456', '[phone]'],
    ['01.42.68.53.00', '[phone]'],
    ['zéro un, quarante-deux, soixante-huit, cinquante-trois, zéro zéro', '[phone]'],
    ['You can reach me on 555 0123 tonight', 'You can reach me on [phone] tonight'],
    ['0049 30 901820', '[phone]'],
    ['Mi móvil es 612 345 678', 'Mi móvil es [phone]'],
    ['SSN 536-90-4399', 'SSN [national_id]'],
    ['536-90-4399', '[national_id]'],
    ['My social is five three six, nine oh, four three nine nine', 'My social is [national_id]'],
    ['QQ123456C is a sample, AB 12 34 56 C is mine', 'QQ123456C is a sample, [national_id] is mine'],
    ['Meine Steuer-ID ist 86 095 742 719', 'Meine Steuer-ID ist [national_id]'],
    ['1 84 12 76 451 089 46', '[national_id]'],
    ['12345678Z', '[national_id]'],
    ['X1234567L', '[national_id]'],
    ['RSSMRA85T10A562S', '[national_id]'],
    ['Mijn BSN is 111222333', 'Mijn BSN is [national_id]'],
    ['PESEL 44051401359', 'PESEL [national_id]'],
    ['756.9217.0769.85', '[national_id]'],
    ['529.982.247-25', '[national_id]'],
    ['131052-308T', '[national_id]'],
    ['I was born on 12/03/1980.', 'I was born on [date_of_birth].'],
    ['My date of birth is March 12th, 1980.', 'My date of birth is [date_of_birth].'],
    ['geboren am zwölften März neunzehnhundertachtzig', 'geboren am [date_of_birth] neunzehnhundertachtzig'],
    ['Je suis né le 12 mars 1980 à Lyon', 'Je suis né le [date_of_birth] à Lyon'],
    ['date of birth: 1980-03-12', 'date of birth: [date_of_birth]'],
    ['from 192.168.10.44, or 2001:db8::8a2e:370:7334', 'from [ip_address], or [ip_address]'],
    ['My password is hunter2.', 'My password is [password].'],
    ['Mein Passwort lautet Sommerregen 7', 'Mein Passwort lautet [password]'],
    ['My PIN is 4821.', 'My PIN is [password].'],
    ['the pin, it is four eight two one', 'the pin, it is [password]'],
    ['One two three four five six seven', '[spoken_digits]'],
    ['1 2 3 4 5 6 7 8', '[spoken_digits]'],
  ])('%s', (text, expected) => {
    // The closing bracket of `(415)` and the sign of a phone may stay.
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ['What is your PIN?', 'four eight two one', '[password]'],
    ['Please tell me your password.', 'sunflower', '[password]'],
    ['What is your password?', "I don't know it.", "I don't know it."],
    ['And your date of birth?', '12 March 1980', '[date_of_birth]'],
    ['Please enter the security code of your card.', '737', '[card]'],
    ['What is your phone number?', '5550123', '[phone]'],
    ['May I have your social security number?', '536904399', '[national_id]'],
    ['What is your order number?', '48213377', '48213377'],
  ])('after "%s": %s', (before, text, expected) => {
    expect(redact(text, before)).toBe(expected);
  });

  it.each([
    'Your order number is 4821337755.',
    'Order 4821-3377-9012 arrives tomorrow.',
    'Rechnungsnummer 2024 0012345678',
    'The order number is one two three four five six seven.',
    'It costs 1,234,567.89 dollars, or € 1.049,00.',
    'On 23.11.2026 at 14:30, table for 4.',
    'We open from 08:00 to 18:30 on 2026-11-23 and 24/12/2026.',
    'I need 2 tickets for 14 people, 3 of them children.',
    'The meeting is at 3 pm on the fourth of May.',
    'Version 1.2.3.4.5 and chapter 12.3.4',
    'Meet me at the point, it is no dot at all.',
    'That makes 0.5 1.25 2.75 3.10 in total.',
    'The password is wrong.',
    'Room 1204 on floor 12, code of conduct included.',
    'Tracking 123456789012345678901234',
    'It weighs 4 kg, 20 percent less, for 99 euros.',
    'ISBN 978-3-16-148410-0',
    'one or two, maybe three',
    'The years 1998 1999 2000 2001 were good.',
    'My customer number is 00451277.',
    '123e4567-e89b-42d3-a456-426614174000',
    'Latitude 48.137154, longitude 11.576124.',
    'She was born in a small town.',
    'card 4111 1111 1111 1112 is not valid',
  ])('leaves alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('finds only the kinds that are wanted', () => {
    const emails = new SecretFinder({ kinds: ['email'], custom: [] });
    expect(emails.redact('4111111111111111, a@example.com').text).toBe('4111111111111111, [email]');
  });

  it('finds the patterns of the account', () => {
    const custom = [{ name: 'member', pattern: 'M-\\d{4}' }];
    expect(new SecretFinder({ kinds: [], custom }).redact('I am M-1234.').text).toBe('I am [member].');
  });

  it('names patterns that cannot be used', () => {
    const problems = customProblems([
      { name: 'Member', pattern: 'a' },
      { name: 'card', pattern: 'a' },
      { name: 'ahead', pattern: 'a(?=b)' },
      { name: 'empty', pattern: 'a*' },
      { name: 'good', pattern: '[0-9]{4}' },
    ]);
    expect(problems.map(({ index, key }) => `${index} ${key}`)).toEqual(['0 name', '1 name', '2 pattern', '3 pattern']);
  });

  it('finds a secret in a text of one megabyte wherever it stands, and pauses for other work', async () => {
    const filler = 'On the 3rd of May, 14 people had 2 teas at 12:30 for 9.90 euros each, said one of them. ';
    const text = `${filler.repeat(6_000)}4111 1111 1111 1111 ${filler.repeat(6_000)}`;
    let pauses = 0;
    const counting = setInterval(() => pauses++, 0);
    const found = await finder.findInLong(text).finally(() => clearInterval(counting));
    expect(found).toEqual([
      { kind: 'card', start: filler.length * 6_000, end: filler.length * 6_000 + 19, digits: '4111111111111111' },
    ]);
    expect(pauses).toBeGreaterThan(10);
  });

  it.each([
    ['digits', '1'.repeat(300_000)],
    ['spaced digits', '1 '.repeat(10_000)],
    ['letters', 'a'.repeat(300_000)],
    ['at signs', '@'.repeat(100_000)],
    ['at words', 'at dot '.repeat(20_000)],
    ['number words', 'one at two dot '.repeat(8_000)],
    ['colons', ':'.repeat(300_000)],
    ['cues', 'password is pin is '.repeat(6_000)],
    ['currencies', '€ 1.000.000'.repeat(10_000)],
  ])('takes linear time for %s', async (_name, text) => {
    expect(await growsLinearly((length) => finder.find(text.slice(0, length)), text.length)).toBe(true);
  });
});
