import { describe, expect, it } from '@jest/globals';
import { functionWordsOf } from './function-words.js';
import { scanTerms, WORD } from './terms.js';

describe('the function words of a query', () => {
  it.each([
    ['where can I park', ['where', 'can', 'i']],
    ['Wo kann ich hier parken?', ['wo', 'kann', 'ich', 'hier']],
    ['Où est-ce que je peux me garer ?', ['ou', 'est', 'ce', 'que', 'je', 'peux', 'me']],
    ['¿Dónde puedo aparcar el coche?', ['donde', 'puedo', 'el']],
    ['Dove posso parcheggiare la macchina?', ['dove', 'posso', 'la']],
    ['Onde posso estacionar o carro?', ['onde', 'posso', 'o']],
    ['Waar kan ik parkeren?', ['waar', 'kan', 'ik']],
    ['Где я могу припарковаться?', ['где', 'я', 'могу']],
    ['أين يمكنني ان اجد الموقف', ['اين', 'يمكنني', 'ان']],
  ])('are detected in "%s"', (query, words) => {
    const found = functionWordsOf(query);
    expect(
      query
        .toLowerCase()
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .split(/[^\p{L}]+/u)
        .filter((word) => found.has(word)),
    ).toEqual(words);
  });

  it.each([
    'where can I park',
    'Wo kann ich hier parken?',
    'Où est-ce que je peux me garer ?',
    '¿Dónde puedo aparcar el coche?',
    'Dove posso parcheggiare la macchina?',
    'Onde posso estacionar o carro?',
    'Waar kan ik parkeren?',
    'Где я могу припарковаться?',
    'أين يمكنني ان اجد الموقف',
  ])('are written as the words of a query are folded: "%s"', (query) => {
    const words = [...functionWordsOf(query)];
    const folded: string[] = [];
    scanTerms(words.join('\n'), (_low, _high, kind, units, from, to) => {
      if (kind === WORD) folded.push(String.fromCharCode(...units.subarray(from, to)));
    });
    expect([words.length > 50, words]).toEqual([true, folded]);
  });

  // `war` and `die` are function words in German.
  it.each(['vietnam war', 'war', 'park', '', '停车场在哪里', 'room 4711'])(
    'are none where nothing shows the language: "%s"',
    (query) => expect(functionWordsOf(query).size).toBe(0),
  );

  it('keep their full weight in another language', () => {
    const words = functionWordsOf('who did die in the war');
    expect([words.has('who'), words.has('die'), words.has('war')]).toEqual([true, false, false]);
  });
});
