import type { ListenerAnnouncement } from '@app/accounts';

const SENTENCES: Record<string, string> = {
  en: 'A colleague of mine is listening to this call now.',
  de: 'Eine Kollegin oder ein Kollege hört diesem Gespräch jetzt zu.',
};

/** What the user hears before somebody listens. A language without a sentence of its own gets the English one. */
export function listenerSentence({ message, language }: ListenerAnnouncement): { text: string; language: string } {
  const wanted = language ?? 'en';
  if (message !== null) return { text: message, language: wanted };
  const sentence = SENTENCES[wanted.split('-', 1)[0]!.toLowerCase()];
  return sentence ? { text: sentence, language: wanted } : { text: SENTENCES.en!, language: 'en' };
}
