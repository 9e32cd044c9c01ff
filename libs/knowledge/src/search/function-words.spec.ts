import { describe, expect, it } from '@jest/globals';
import { functionWordsOf } from './function-words.js';

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
