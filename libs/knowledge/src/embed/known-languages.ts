import { isEnglish, languageByFunctionWords } from '../search/function-words.js';

/**
 * Whether a text is in one of the languages of a model, as far as it can be told: a vector in another language adds noise to a search.
 * `languages`: ISO 639-1 codes; undefined: the model knows many.
 */
export function isKnownLanguage(text: string, languages: readonly string[] | undefined): boolean {
  if (languages === undefined) return true;
  if (languages.length === 1 && languages[0] === 'en') return isEnglish(text);
  const language = languageByFunctionWords(text);
  return language === undefined || languages.includes(language);
}
