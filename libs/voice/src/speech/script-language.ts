const LANGUAGE_OF_SCRIPT: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'cmn'],
  [/\p{Script=Han}/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/[ґєії]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
];

/**
 * The language to read a sentence in: the one its script tells, unless the wanted one is written in that script;
 * else the wanted one, else English. A short tag (`en`, `de`), as synthesisers know it.
 */
export function languageFor(sentence: string, wanted: string | undefined): string {
  const primary = wanted?.toLowerCase().split(/[-_]/)[0] ?? 'en';
  const scripts = LANGUAGE_OF_SCRIPT.filter(([script]) => script.test(sentence));
  const found = scripts.find(([, language]) => language === primary) ?? scripts[0];
  const language = found?.[1] ?? primary;
  return language === 'zh' ? 'cmn' : language;
}
