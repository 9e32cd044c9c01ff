import { describe, expect, it } from '@jest/globals';
import { FormantVoice } from '@app/sandbox/formant';
import { decode } from '@app/telephony';
import { ClipCache, Synthesiser } from './synthesiser.js';
import { peakOf, resample, SAMPLE_RATE, type Voice } from './voice.js';
import { languageFor } from './program-voice.js';
import { sentencesOf, Speech, type SpokenSentence } from './speech.js';

const never = new AbortController().signal;
const tone = Int16Array.from({ length: 4000 }, (_, i) => Math.round(9000 * Math.sin(i / 3)));

class CountingVoice implements Voice {
  readonly name = 'counting';
  spoken: string[] = [];
  async speak(sentence: string): Promise<Int16Array> {
    this.spoken.push(sentence);
    if (sentence.includes('broken')) throw new Error('cannot say that');
    return sentence.includes('mute') ? new Int16Array(800) : tone;
  }
}

async function all(speech: Speech, text: string): Promise<SpokenSentence[]> {
  const sentences: SpokenSentence[] = [];
  for await (const sentence of speech.say(text, { codec: 'PCMA' }, never)) sentences.push(sentence);
  return sentences;
}

describe('Speech', () => {
  it('speech arrives sentence by sentence in whole frames of the codec, equally loud', async () => {
    const sentences = await all(new Speech(new Synthesiser([new FormantVoice()])), 'Hello. Who is there?');
    expect(sentences.map(({ text }) => text)).toEqual(['Hello.', 'Who is there?']);
    for (const { audio } of sentences) {
      expect(audio.length % 160).toBe(0);
      expect(peakOf(decode('PCMA', audio))).toBeGreaterThan(20_000);
      expect(peakOf(decode('PCMA', audio.subarray(-1600)))).toBeLessThan(20);
      expect(peakOf(decode('PCMA', audio.subarray(0, 320)))).toBeGreaterThan(100);
    }
  });

  it('a sentence is synthesised once, even if two calls request it at the same time', async () => {
    const voice = new CountingVoice();
    const speech = new Speech(new Synthesiser([voice]));
    await Promise.all([all(speech, 'Hello.'), all(speech, 'Hello.')]);
    await all(speech, 'Hello.');
    expect(voice.spoken).toEqual(['Hello.']);
  });

  it('the next voice speaks when one fails or is silent', async () => {
    const second = new CountingVoice();
    const speech = new Speech(
      new Synthesiser([new CountingVoice(), { name: 'second', speak: () => second.speak('fine') }]),
    );
    expect(await all(speech, 'This is broken. This is mute.')).toHaveLength(2);
    expect(second.spoken).toHaveLength(2);
  });

  it('the error names the reasons when no voice can speak', async () => {
    await expect(all(new Speech(new Synthesiser([new CountingVoice()])), 'broken')).rejects.toThrow(
      'No voice could synthesise the sentence.',
    );
  });

  it('synthesis stops when the call ends', async () => {
    const voice = new CountingVoice();
    const call = new AbortController();
    const heard: string[] = [];
    for await (const { text } of new Speech(new Synthesiser([voice])).say(
      'One. Two. Three.',
      { codec: 'PCMU' },
      call.signal,
    )) {
      heard.push(text);
      call.abort();
    }
    expect(heard).toEqual(['One.']);
    expect(voice.spoken).toEqual(['One.']);
  });
});

describe('ClipCache', () => {
  it('a full cache drops the least recently used sentence', () => {
    const cache = new ClipCache(20);
    const clip = () => new Int16Array(4);
    cache.put('a', clip());
    cache.put('b', clip());
    cache.get('a');
    cache.put('c', clip());
    expect(['a', 'b', 'c'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true]);
    cache.put('too long', new Int16Array(11));
    expect(cache.get('too long')).toBeUndefined();
  });
});

describe('sentencesOf', () => {
  it.each([
    ['Hello. I am Dr. Smith. Bye!', ['Hello.', 'I am Dr. Smith.', 'Bye!']],
    ['你好。再见。', ['你好。', '再见。']],
    [' \n ', []],
  ])('the text %j is split into %j', (text, sentences) => expect(sentencesOf(text)).toEqual(sentences));

  it('no sentence is longer than 240 characters, and no text is lost', () => {
    const texts = ['word '.repeat(200), 'x'.repeat(1000), '😀'.repeat(300)];
    for (const text of texts) {
      const sentences = sentencesOf(text);
      expect(Math.max(...sentences.map(({ length }) => length))).toBeLessThanOrEqual(240);
      expect(sentences.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      expect(sentences.every((sentence) => Buffer.from(sentence).toString() === sentence)).toBe(true);
    }
  });
});

describe('languageFor', () => {
  it.each([
    ['Hello', undefined, 'en'],
    ['Guten Tag', 'de-DE', 'de'],
    ['你好', 'en', 'cmn'],
    ['你好', 'zh-CN', 'cmn'],
    ['日本', 'ja', 'ja'],
    ['こんにちは', 'en', 'ja'],
    ['Привет', 'en', 'ru'],
    ['Привіт', 'en', 'uk'],
  ])('the text %s for language %s is read as %s', (text, wanted, language) =>
    expect(languageFor(text, wanted)).toBe(language),
  );
});

describe('resample', () => {
  it.each([16_000, 22_050, 48_000])(
    'resampling from %d Hz keeps the telephone band and removes the rest',
    async (rate) => {
      const wave = (hertz: number) =>
        Int16Array.from({ length: rate / 2 }, (_, i) =>
          Math.round(10_000 * Math.sin((2 * Math.PI * hertz * i) / rate)),
        );
      const kept = await resample(wave(1000), rate);
      const removed = await resample(wave(6000), rate);
      expect(kept.length).toBe(SAMPLE_RATE / 2);
      expect(peakOf(kept.subarray(200, -200))).toBeGreaterThan(9500);
      expect(peakOf(removed.subarray(200, -200))).toBeLessThan(150);
    },
  );
});
