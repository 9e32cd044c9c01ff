/** Frequent words of English that are not frequent in other languages: "in", "is", "was", "for" and "do" are left out. */
const ENGLISH = wordsOf(
  `the of and to are that it with be by you this have from not can which what how your will they has if where when who
  does my been their there would could should about any all each other than only after before more must may per its our
  between into during under such than these those i'm don't it's`,
);

/** Frequent words of other languages in the Latin script that are no words of English. */
const OTHERS = wordsOf(
  `der das und ist nicht ein eine einen einem einer dem den mit für auf sich auch wie wo kann ich sie wir haben zu im von
  bei nach oder wird werden sind zum zur aus als wenn gibt bitte wer wann warum welche
  welcher welches welchem welchen wurde wurden hat hatte le la les des du une est et dans pour que qui pas sur
  avec vous nous je aux sont où comment puis-je cette el los las de y en es por con para del se su al como cómo dónde
  puedo más il lo gli di che è per un una della sono dove posso quando os um uma não são da dos das onde het een van dat
  op te zijn voor met hoe waar ik och att det som är på av inte jag hur og er til af ikke jeg hvor w na się jest nie z że
  jak bir ve bu için ile nasıl je se yang dan untuk dengan ini itu apa ja ei että és az nem hogy și cu pentru nu este`,
);

/** Names and quotations in other scripts are common in English texts. */
const LATIN_SHARE = 0.8;

/**
 * Whether a text is English, by its script and its function words. Numbers, names and headings without any function word are
 * taken for English if they are plain Latin letters.
 */
export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return false;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin < letters * LATIN_SHARE) return false;
  let [english, others] = [0, 0];
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}'’-]+/gu) ?? []) {
    if (ENGLISH.has(word.replace('’', "'"))) english++;
    else if (OTHERS.has(word) || /[^\p{ASCII}’]/u.test(word)) others++;
  }
  return english > others || (english === 0 && others === 0);
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}
