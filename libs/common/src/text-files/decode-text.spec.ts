import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { decodeText } from './decode-text.js';

const RUSSIAN =
  'Однажды, в студеную зимнюю пору, я из лесу вышел; был сильный мороз. Гляжу, поднимается медленно в гору лошадка.';
const GERMAN = 'Die Bücherei öffnet täglich um acht; größere Gruppen müssen sich früh anmelden – „bitte“ für 5 €.';
const CHINESE = '图书馆每天早上八点开门，周末休息。请提前预约团体参观。';
const JAPANESE = '図書館は毎日午前八時に開きます。週末はお休みです。';

describe('the encoding of a text', () => {
  it.each([
    ['utf-8', RUSSIAN],
    ['utf-16le', RUSSIAN],
    ['utf-16be', GERMAN],
    ['utf-16le', CHINESE + ' Library\n'],
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['cp866', RUSSIAN],
    ['windows-1252', GERMAN],
    ['gb18030', CHINESE],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
  ])('is detected by its letters: %s', (charset, text) =>
    expect(decodeText(iconv.encode(text, charset)).text).toBe(text),
  );

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le'])(
    'is detected by the byte order mark, which is removed: %s',
    (charset) => {
      expect(decodeText(iconv.encode('é', charset, { addBOM: true }))).toEqual({ text: 'é', charset });
    },
  );

  it('is the declared one unless the bytes contradict it', () => {
    const bytes = iconv.encode('mały', 'iso-8859-2');
    expect(decodeText(bytes, ['ISO-8859-2'])).toEqual({ text: 'mały', charset: 'iso-8859-2' });
    expect(decodeText(Buffer.from('größe'), ['utf-16', undefined, 'utf-8']).text).toBe('größe');
    expect(decodeText(iconv.encode('größe', 'windows-1252'), ['utf-8', 'no-such-charset', 'latin1']).text).toBe(
      'größe',
    );
  });

  it.each(['iso-8859-1', 'windows-1252', 'windows-1251', 'koi8-r', 'shift_jis', 'gb2312', 'big5', 'us-ascii'])(
    'is UTF-8 for valid UTF-8 although %s is declared',
    (charset) => {
      expect(decodeText(Buffer.from(GERMAN), [charset]).text).toBe(GERMAN);
      expect(decodeText(Buffer.from(JAPANESE), [undefined, charset]).text).toBe(JAPANESE);
    },
  );

  it('is the declared East Asian one if its few bytes could also be UTF-8', () => {
    // One character of GB 18030 and one of UTF-8.
    const bytes = Buffer.from([0xc4, 0xa3]);
    expect(decodeText(bytes, ['gb2312']).text).toBe(iconv.decode(bytes, 'gb18030'));
  });

  it('is windows-1252 if Latin-1 is declared, with curly quotes and the euro sign', () => {
    expect(decodeText(iconv.encode('“5 €”', 'windows-1252'), ['iso-8859-1']).text).toBe('“5 €”');
  });

  it('is still UTF-8 with one invalid byte or a truncated last character', () => {
    const bytes = Buffer.from(RUSSIAN);
    expect(decodeText(bytes.subarray(0, -2)).charset).toBe('utf-8');
    expect(decodeText(Buffer.concat([bytes, Buffer.from([0xff]), bytes])).charset).toBe('utf-8');
  });

  it('is UTF-8 for plain ASCII and for empty files', () => {
    expect(decodeText(Buffer.from('plain'))).toEqual({ text: 'plain', charset: 'utf-8' });
    expect(decodeText(Buffer.alloc(0)).text).toBe('');
  });
});
