import { node, text, whole } from './workspace-words.js';

const phrase = text(500).trim().min(1, 'must say something').optional();

const language = text(35).refine(isLanguage, 'must be a language tag such as "en" or "de-DE"');

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** How an agent behaves on the line. Replaces what was stored as a whole; what is left out has its default. */
export const conversation = node({
  idle: node({ after_seconds: whole(2, 600).optional(), prompts: whole(0, 10).optional() }).optional(),
  barge_in: node({
    duck_ms: whole(20, 5_000).optional(),
    interrupt_ms: whole(40, 5_000).optional(),
    guard_ms: whole(0, 30_000).optional(),
  }).optional(),
  phrases: node({ filler: phrase, moment: phrase, idle: phrase, goodbye: phrase, apology: phrase }).optional(),
  language: language.optional(),
}).nullish();
