import { describe, expect, it } from '@jest/globals';
import { matchesTurn, transcriptSearch, transcriptVector } from './transcript-words.js';

describe('the words of a transcript', () => {
  it('are folded, have positions, and carry the account', () => {
    expect(transcriptVector(7, ['Über die STRASSE?', 'It’s 4711'])).toBe(
      "'@7' 'uber':1 'die':2 'strasse':3 'it':7 's':8 '4711':9",
    );
  });

  it('of scripts without spaces are their characters', () => {
    expect(transcriptVector(7, ['退款订单'])).toBe("'@7' '退':1 '款':2 '订':3 '单':4");
  });

  it('cannot imitate another account or break out of the text', () => {
    expect(transcriptVector(7, [`@8 x' | 'y \\`])).toBe("'@7' '8':1 'x':2 'y':3");
  });

  it('stay below the size that PostgreSQL allows', () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `${index}${'x'.repeat(40)}`);
    expect(Buffer.byteLength(transcriptVector(7, [words.join(' ')]))).toBeLessThan(1_000_000);
  });
});

describe('a search in transcripts', () => {
  it.each([
    ['refund order', "'@7' & ('refund') & ('order')"],
    ['"my  Order"', "'@7' & ('my' <-> 'order')"],
    ['refund* -angry', "'@7' & ('refund':*) & !('angry')"],
    ['order-4711', "'@7' & ('order' <-> '4711')"],
    ['退款', "'@7' & ('退' <-> '款')"],
    [`it's & | ! ( '`, "'@7' & ('it' <-> 's')"],
    ['"unclosed phrase', "'@7' & ('unclosed' <-> 'phrase')"],
  ])('%s becomes %s', (text, query) => {
    expect(transcriptSearch(7, text)?.query).toBe(query);
  });

  it.each(['', ' ', '-angry', '&|!', 'x '.repeat(33)])(
    'without a word to find, or with too many, is refused: %s',
    (text) => {
      expect(transcriptSearch(7, text)).toBeUndefined();
    },
  );

  it.each([
    ['refund', 'I want a Refund.', true],
    ['"my order"', 'Where is my order?', true],
    ['"my order"', 'order my', false],
    ['ref*', 'refunds', true],
    ['-order refund', 'my order', false],
  ])('%s in %s: %s', (search, turn, found) => {
    expect(matchesTurn(transcriptSearch(7, search)!, turn)).toBe(found);
  });
});
