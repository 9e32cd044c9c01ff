import { describe, expect, it } from '@jest/globals';
import { Acknowledgements } from './acknowledgements.js';
import {
  completeness,
  endOfTurn,
  judgeOverlap,
  mayBeFinished,
  type SpeechEvidence,
  turnTimings,
} from './turn-detector.js';

const evidence = (changes: Partial<SpeechEvidence>): SpeechEvidence => ({
  silenceMs: 0,
  speechMs: 1_000,
  text: '',
  isFinal: true,
  textAgeMs: 5_000,
  vendorEnded: false,
  vendorDecides: false,
  waitedMs: changes.silenceMs ?? 0,
  ...changes,
});

describe('the end of a turn', () => {
  it.each<[string, Partial<SpeechEvidence>, string | undefined]>([
    ['speech goes on', { text: 'I want tea.', textAgeMs: 0 }, undefined],
    ['a sentence and a short pause', { text: 'I want tea.', silenceMs: 280 }, undefined],
    ['a sentence and 300 ms', { text: 'I want tea.', silenceMs: 300 }, 'silence_after_punctuation'],
    ['a question in Chinese', { text: '你好吗？', silenceMs: 300 }, 'silence_after_punctuation'],
    ['words without a sentence end', { text: 'I want tea', silenceMs: 680 }, undefined],
    ['the same after 700 ms', { text: 'I want tea', silenceMs: 700 }, 'silence'],
    ['a clause', { text: 'I want tea,', silenceMs: 1_480 }, undefined],
    ['a clause and the longest silence', { text: 'I want tea,', silenceMs: 1_500 }, 'longest_silence'],
    ['a conjunction', { text: 'I want tea and', silenceMs: 1_000 }, undefined],
    ['a dictated number', { text: 'My number is 0171 23.', silenceMs: 1_000 }, undefined],
    ['the same after the longest silence', { text: 'My number is 0171 23.', silenceMs: 1_500 }, 'longest_silence'],
    ['a complete number', { text: 'My number is 0171 234 56 78.', silenceMs: 300 }, 'silence_after_punctuation'],
    ['words that may still change', { text: 'I want tea.', silenceMs: 400, isFinal: false, textAgeMs: 100 }, undefined],
    [
      'words that have not changed',
      { text: 'I want tea.', silenceMs: 400, isFinal: false, textAgeMs: 200 },
      'silence_after_punctuation',
    ],
    ['the opinion of the vendor', { text: 'I want tea', silenceMs: 200, vendorEnded: true }, 'vendor_end_of_turn'],
    [
      'the opinion of the vendor within a number',
      { text: 'My number is 0171', silenceMs: 400, vendorEnded: true },
      undefined,
    ],
    ['no words yet', { silenceMs: 1_900 }, undefined],
    ['no words', { silenceMs: 2_000 }, 'no_words'],
    ['no words of audio that was replayed just now', { silenceMs: 2_000, waitedMs: 100 }, undefined],
    ['noise that hides the silence', { text: 'I want tea', textAgeMs: 2_000 }, 'longest_silence'],
    [
      'noise and the opinion of the vendor',
      { text: 'I want tea', textAgeMs: 700, vendorEnded: true },
      'vendor_end_of_turn',
    ],
  ])('%s', (_, changes, reason) => expect(endOfTurn(evidence(changes), turnTimings())).toBe(reason));

  it.each<[string, Partial<SpeechEvidence>, string | undefined]>([
    ['a sentence and a pause, before the vendor has decided', { text: 'I want tea.', silenceMs: 2_000 }, undefined],
    ['the decision within a number', { text: 'My number is 0171', vendorEnded: true }, 'vendor_end_of_turn'],
    ['no decision for five seconds', { text: 'I want tea', silenceMs: 5_000 }, 'longest_silence'],
    ['noise that hides the silence', { text: 'I want tea', textAgeMs: 5_500 }, 'longest_silence'],
    ['no words', { silenceMs: 2_000 }, 'no_words'],
  ])('where the transcriber ends turns: %s', (_, changes, reason) =>
    expect(endOfTurn(evidence({ textAgeMs: 1_000, ...changes, vendorDecides: true }), turnTimings())).toBe(reason),
  );

  it("uses the agent's own times, the longest above all", () => {
    const timings = turnTimings({ afterPunctuationMs: 900, withoutPunctuationMs: 2_000, longestMs: 1_000 });
    expect(timings).toEqual({
      afterPunctuationMs: 900,
      withoutPunctuationMs: 1_000,
      longestMs: 1_000,
      longestOfVendorMs: 1_000,
    });
    expect(endOfTurn(evidence({ text: 'Yes.', silenceMs: 880 }), timings)).toBeUndefined();
    expect(endOfTurn(evidence({ text: 'Yes.', silenceMs: 900 }), timings)).toBe('silence_after_punctuation');
  });

  it.each([
    ['Yes.', 'sentence'],
    ['I think so.', 'sentence'],
    ['tomorrow at 5', 'open'],
    ['two', 'open'],
    ['room 12', 'open'],
    ['I paid 1200', 'unfinished'],
    ['zero one seven', 'unfinished'],
    ['null eins sieben', 'unfinished'],
    ['J O N', 'unfinished'],
    ['anna at', 'unfinished'],
    ['anna at mail dot', 'unfinished'],
    ['anna@mail', 'unfinished'],
    ['anna@mail.com', 'open'],
    ['Well...', 'unfinished'],
    ['ich möchte und', 'unfinished'],
    ['四五六七', 'unfinished'],
    ['四五', 'open'],
    ['Is it 0171 23?', 'sentence'],
  ])('%s is %s', (text, expected) => expect(completeness(text)).toBe(expected));

  it.each<[Partial<SpeechEvidence>, boolean]>([
    [{ text: 'I want tea.', textAgeMs: 199 }, false],
    [{ text: 'I want tea.', textAgeMs: 200 }, true],
    [{ text: 'I want tea', textAgeMs: 200 }, false],
    [{ text: 'I want tea', textAgeMs: 200, silenceMs: 200 }, true],
    [{ text: 'I want tea and', textAgeMs: 900, silenceMs: 400 }, false],
    [{ text: '' }, false],
  ])('the model may begin ahead of %j: %s', (changes, expected) =>
    expect(mayBeFinished(evidence(changes))).toBe(expected),
  );
});

describe('speech over the agent', () => {
  it.each<[string, Partial<SpeechEvidence>, boolean, string | undefined]>([
    ['words', { text: 'wait', textAgeMs: 0 }, false, 'interruption'],
    ['an acknowledgement that may go on', { text: 'okay', textAgeMs: 100 }, true, undefined],
    ['an acknowledgement and silence', { text: 'okay', textAgeMs: 100, silenceMs: 200 }, true, 'acknowledgement'],
    ['an acknowledgement that stands alone', { text: 'okay', textAgeMs: 500 }, true, 'acknowledgement'],
    ['sound without words yet', { speechMs: 1_100 }, false, undefined],
    ['long sound without words', { speechMs: 1_200 }, false, 'noise'],
    ['a cough', { speechMs: 200, silenceMs: 600 }, false, 'noise'],
  ])('%s', (_, changes, areAcknowledgements, outcome) =>
    expect(judgeOverlap(evidence(changes), areAcknowledgements)?.outcome).toBe(outcome),
  );
});

describe('acknowledgements', () => {
  it.each([
    ['en', ['Uh-huh.', 'Okay.', 'yeah yeah', 'Mm-hmm, right.', 'I see!']],
    ['de', ['Ja, genau.', 'Mhm', 'Alles klar.', 'okay']],
    ['fr', ["Oui, d'accord.", 'Très bien', 'D’accord']],
    ['es', ['Sí, claro.', 'Vale vale']],
    ['it', ['Sì, va bene.', 'Certo']],
    ['pt', ['Sim, tá bom.', 'Entendi']],
    ['nl', ['Ja, oké.', 'Klopt']],
    ['pl', ['Tak, rozumiem.', 'Dobrze']],
    ['ru', ['Да, понятно.', 'Угу']],
    ['uk', ['Так, зрозуміло.', 'Угу']],
    ['tr', ['Evet, tamam.', 'Hı hı']],
    ['ar', ['نعم، تمام', 'طيب']],
    ['zh-CN', ['嗯嗯。', '好的，明白了', '对对对']],
    ['ja', ['はい、そうですね。', 'なるほど']],
    ['ko', ['네, 알겠습니다.', '그렇군요']],
    ['hi', ['हाँ, ठीक है।', 'अच्छा']],
  ])('in %s: %j', (language, texts) => {
    const known = new Acknowledgements([language]);
    for (const text of texts) expect([text, known.areAll(text)]).toEqual([text, true]);
  });

  it.each([
    ['en', 'Okay, but wait.'],
    ['en', 'No.'],
    ['en', 'stop'],
    ['en', ''],
    ['de', 'Ja, aber ich habe eine Frage.'],
    ['de', 'Nein.'],
    ['zh', '好的，等一下'],
    ['zh', '不是'],
    ['ja', 'ちょっと待って'],
  ])('in %s these words take the turn: %s', (language, text) =>
    expect(new Acknowledgements([language]).areAll(text)).toBe(false),
  );

  it("the agent's own words and those of all its languages count", () => {
    const known = new Acknowledgements(['en', 'de-AT'], ['Passt schon', 'roger']);
    expect([known.areAll('passt schon'), known.areAll('Roger, genau'), known.areAll('d’accord')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('"hello" is an answer to the ring, while the agent begins to greet', () => {
    const known = new Acknowledgements([undefined]);
    expect([known.areAll('Hello?'), known.areAll('Hello?', true), known.areAll('Hallo, ja?', true)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
