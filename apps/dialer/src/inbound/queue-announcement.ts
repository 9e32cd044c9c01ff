import type { NumberQueue } from '@app/accounts';

const WORDS: Record<string, readonly string[]> = {
  en: [
    ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
    ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
  ],
  de: [
    ...['eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwölf'],
    ...['dreizehn', 'vierzehn', 'fünfzehn', 'sechzehn', 'siebzehn', 'achtzehn', 'neunzehn', 'zwanzig'],
  ],
};

const SENTENCES: Record<string, string> = {
  en: 'You are number {{position}} in line.',
  de: 'Sie sind Nummer {{position}} in der Warteschlange.',
};

/** What a caller at `position` hears. A language without a sentence of its own gets the English one. */
export function queueAnnouncement(
  { message, language }: NumberQueue['announce'],
  position: number,
): { text: string; language: string } {
  const wanted = language ?? 'en';
  const primary = wanted.split('-', 1)[0]!.toLowerCase();
  const spoken = message !== null || primary in SENTENCES ? wanted : 'en';
  const word = WORDS[spoken.split('-', 1)[0]!.toLowerCase()]?.[position - 1] ?? String(position);
  const sentence = message ?? SENTENCES[primary] ?? SENTENCES.en!;
  return { text: sentence.replace(/\{\{\s*position\s*\}\}/g, word), language: spoken };
}
