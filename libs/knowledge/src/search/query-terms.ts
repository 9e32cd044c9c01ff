import type { AgentIndex } from './agent-index.js';
import { chunksWith } from './segment.js';
import { PREFIX, scanTerms, TERM_WEIGHTS, WORD } from './terms.js';
import type { SpellingConsumer, WordList } from './dictionary.js';

/** A query term that the index contains, with the maximum score of a match. */
export interface QueryTerm {
  /** By segment: the number of the term, -1 if it does not occur. */
  termIds: Int32Array;
  /** Number of chunks that contain it. */
  chunks: number;
  worth: number;
}

/**
 * Maximum number of terms; the rarest are used. 1,000 characters may contain 300, and frequent terms hardly affect
 * the ranking.
 */
const TERMS = 64;
/** Unknown words for which similar spellings are searched, and spellings used per word. */
const UNKNOWN_WORDS = 8;
const SPELLINGS = 3;
/** Weight of a word by edit distance: 0, 1, 2. */
const SPELLING_WEIGHTS = [1, 0.7, 0.5] as const;
/** Weight of a function word: `where` is rare in a price list, but irrelevant to its content. */
const FUNCTION_WORD_WEIGHT = 0.3;
/** Shorter words have too many similar words. */
const SHORTEST_MISSPELLED = 4;
const SHORTEST_TWICE_MISSPELLED = 8;

/** Words too short for a prefix term, and the number of further letters of their longer forms: park, parking. */
const SHORTEST_STEM = 3;
const LONGEST_STEM = 4;
const LONGEST_ENDING = 3;
const STEMS = 8;

interface Wanted {
  low: number;
  high: number;
  weight: number;
  /** Its letters, if it is a word other than a function word. */
  word?: Uint16Array;
}

/**
 * The terms of each wording of a question, the rarest first; a wording without a term is left out. Their worth adds up to 1, so that
 * a score is the share of the wording that a chunk covers, comparable between questions and with the similarity of vectors. The terms
 * that no chunk has are one term: it matches nothing.
 */
export function queryTerms(index: AgentIndex, queries: readonly string[]): QueryTerm[][] {
  if (index.chunks === 0) return [];
  const wordings = queries.map((query) => wordingTerms(index, query));
  return wordings.filter((terms) => terms.length > 0).map(scaled);
}

function scaled(terms: QueryTerm[]): QueryTerm[] {
  const total = terms.reduce((sum, { worth }) => sum + worth, 0);
  return terms.map((term) => ({ ...term, worth: term.worth / total })).sort((a, b) => a.chunks - b.chunks);
}

function wordingTerms(index: AgentIndex, query: string): QueryTerm[] {
  const found: QueryTerm[] = [];
  const unknown: { word: Uint16Array; weight: number }[] = [];
  const stems: Uint16Array[] = [];
  let missing = 0;
  for (const wanted of wantedTerms(query)) {
    if (wanted.word && isStem(wanted.word)) stems.push(wanted.word);
    const term = lookUp(index, wanted);
    if (term.chunks > 0) found.push(term);
    else if (wanted.word && mayBeMisspelled(wanted.word) && unknown.length < UNKNOWN_WORDS)
      unknown.push({ word: wanted.word, weight: wanted.weight });
    else missing += wanted.weight;
  }
  for (const { word, weight } of unknown) {
    const spellings = spelledAlike(index, word);
    found.push(...spellings);
    if (spellings.length === 0) missing += weight;
  }
  for (const word of stems.slice(0, STEMS))
    found.push(...longerForms(index, word).filter((form) => !found.some((term) => isSame(term, form))));
  const rarest = found.sort((a, b) => a.chunks - b.chunks).slice(0, TERMS);
  if (missing === 0) return rarest;
  // As rare as a term of one chunk: in a small index, terms of no chunk would outweigh all others.
  return [...rarest, { termIds: nowhere(index), chunks: 0, worth: missing * rarity(index, 1) }];
}

/** Each term of the query once. */
function wantedTerms(query: string): Iterable<Wanted> {
  const wanted = new Map<number, Wanted>();
  const functionWords = functionWordsOf(query);
  let isFunctionWord = false;
  scanTerms(query, (low, high, kind, units, from, to) => {
    const key = high * 2 ** 20 + (low >>> 12);
    if (wanted.has(key)) return;
    // A prefix follows its word.
    if (kind !== PREFIX) isFunctionWord = kind === WORD && functionWords.has(textOf(units.subarray(from, to)));
    const weight = TERM_WEIGHTS[kind] * (isFunctionWord ? FUNCTION_WORD_WEIGHT : 1);
    wanted.set(key, { low, high, weight, ...(kind === WORD && !isFunctionWord && { word: units.slice(from, to) }) });
  });
  return wanted.values();
}

function lookUp(index: AgentIndex, { low, high, weight }: Wanted): QueryTerm {
  const termIds = new Int32Array(index.segments.length);
  let chunks = 0;
  index.segments.forEach((segment, at) => {
    const termId = segment.dictionary.idOf(low, high);
    termIds[at] = termId;
    chunks += chunksWith(segment, termId);
  });
  return { termIds, chunks, worth: weight * rarity(index, chunks) };
}

/** Inverse document frequency of BM25 as in Lucene: never negative. */
const rarity = (index: AgentIndex, chunks: number): number =>
  Math.log(1 + (index.chunks - chunks + 0.5) / (chunks + 0.5));

const DIGITS = /\d/;

/** Numbers are matched exactly. */
const mayBeMisspelled = (word: Uint16Array): boolean =>
  word.length >= SHORTEST_MISSPELLED && !DIGITS.test(textOf(word));

const isStem = (word: Uint16Array): boolean =>
  word.length >= SHORTEST_STEM && word.length <= LONGEST_STEM && !DIGITS.test(textOf(word));

/** Whether both are the same term: a longer form may also occur in the query or as a similar spelling. */
const isSame = (one: QueryTerm, other: QueryTerm): boolean => one.termIds.every((id, at) => id === other.termIds[at]);

const textOf = (units: Uint16Array): string => String.fromCharCode(...units);

/** The words most similar to an unknown one: fewer edits first, then the more frequent. */
function spelledAlike(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const distance = word.length >= SHORTEST_TWICE_MISSPELLED ? 2 : 1;
  const spellings = collected(index, (words, take) => words.similar(word, distance, take));
  return termsOf(index, spellings, (edits) => SPELLING_WEIGHTS[edits]!);
}

/** Words that begin with a short word, shorter endings first; prefix terms cover only words of five letters and more. */
function longerForms(index: AgentIndex, word: Uint16Array): QueryTerm[] {
  const forms = collected(index, (words, take) =>
    words.beginningWith(word, word.length < LONGEST_STEM ? 1 : LONGEST_ENDING, take),
  );
  return termsOf(index, forms, (letters) => SPELLING_WEIGHTS[Math.min(letters, 2)]!);
}

interface Spelling {
  spelling: string;
  /** Number of edits, or of further letters. */
  distance: number;
  termIds: Int32Array;
  chunks: number;
}

function collected(index: AgentIndex, scan: (words: WordList, take: SpellingConsumer) => void): Spelling[] {
  const spellings = new Map<string, Spelling>();
  index.segments.forEach((segment, at) =>
    scan(segment.words, (termId, distance, spelling) => {
      const known = spellings.get(spelling) ?? { spelling, distance, termIds: nowhere(index), chunks: 0 };
      known.termIds[at] = termId;
      known.chunks += chunksWith(segment, termId);
      spellings.set(spelling, known);
    }),
  );
  return [...spellings.values()];
}

function termsOf(index: AgentIndex, spellings: Spelling[], weight: (distance: number) => number): QueryTerm[] {
  const nearest = spellings.sort(likeliestFirst).slice(0, SPELLINGS);
  return nearest.map(({ distance, termIds, chunks }) => ({
    termIds,
    chunks,
    worth: weight(distance) * TERM_WEIGHTS[WORD] * rarity(index, chunks),
  }));
}

/** Fewer edits first, then the more frequent; the spelling makes the order the same in every process. */
const likeliestFirst = (a: Spelling, b: Spelling): number =>
  a.distance - b.distance || b.chunks - a.chunks || (a.spelling < b.spelling ? -1 : 1);

const nowhere = (index: AgentIndex): Int32Array => new Int32Array(index.segments.length).fill(-1);

/**
 * Function words by language: articles, pronouns, prepositions, conjunctions, auxiliaries and question words. They are rare in a
 * small knowledge base, so that their inverse document frequency alone would give them too much weight.
 */
const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  en: `a an the this that these those i me my we us our you your he him his she her it its they them their who whom whose which what
    when where why how is are was were be been being am do does did done doing have has had having can could may might must shall
    should will would not no nor and or but if then than so as at by for from in into of off on onto out over to up with about after
    before between during through under until upon while there here any some all each both such only also too very just
    get got please tell s t d ll m re ve`,
  de: `der die das den dem des ein eine einen einem einer eines ich mich mir mein meine meinen meinem meiner du dich dir dein deine wir
    uns unser unsere ihr euch euer sie ihnen ihre ihren ihrem er ihn ihm sein seine es man wer wen wem wessen was welche welcher
    welches welchen wann wo wohin woher warum weshalb wieso wie ist sind war waren bin bist seid gewesen werde wird werden wurde
    wurden habe hat haben hatte hatten kann kannst konnte konnen darf durfen muss mussen soll sollen will wollen mochte nicht kein
    keine und oder aber wenn dann als ob dass so an am auf aus bei beim bis durch fur gegen hinter im in ins mit nach neben ohne
    seit uber um unter von vom vor wahrend zu zum zur zwischen da dort hier auch nur noch schon sehr bitte gibt`,
  fr: `le la les l un une des du de d je j me m moi mon ma mes tu te t toi ton ta tes nous notre nos vous votre vos il elle on ils elles
    lui leur leurs se s son sa ses ce cet cette ces c ca cela qui que qu quoi quel quelle quels quelles quand ou comment pourquoi
    combien est sont etait etaient suis es sommes etes etre ete ai as a avons avez ont avoir avait fait faire peut peux pouvez
    pouvons peuvent dois doit devez ne n pas ni et mais si alors donc comme dans en par pour sur sous avec sans chez vers entre
    apres avant pendant depuis au aux y aussi tres plus lorsque afin`,
  es: `el la los las lo un una unos unas yo me mi mis tu te ti tus nosotros nos nuestro nuestra usted ustedes su sus se le les ella
    ellos ellas este esta estos estas ese esa eso esto aquel aquella que quien quienes cual cuales cuando donde como cuanto cuanta
    cuantos cuantas es son era eran fue fueron soy eres somos ser estoy estan estar he ha han hay haber habia tengo tiene
    tienen puedo puede pueden poder debo debe deben no ni y e o u pero si entonces a al ante bajo con contra de del desde durante
    en entre hacia hasta para por segun sin sobre tras tambien muy mas ya`,
  it: `il lo la i gli le l un uno una io mi me mio mia miei mie tu ti te tuo tua noi ci nostro nostra voi vi vostro vostra lui lei egli
    essi loro si suo sua suoi sue questo questa questi queste quello quella che chi cui quale quali quando dove come perche quanto
    quanta quanti quante e sono era erano sei siamo siete essere stato ho hai ha abbiamo avete hanno avere posso puo possono potete
    devo deve devono non ne ed o ma se allora a al allo alla ai agli alle di del dello della dei degli delle d da dal dalla in nel
    nella nei con su sul sulla per tra fra anche piu molto`,
  pt: `o a os as um uma uns umas eu me mim meu minha meus minhas tu te teu tua nos nosso nossa voce voces ele ela eles elas lhe se seu
    sua seus suas este esta estes estas esse essa isso isto aquele aquela que quem qual quais quando onde como porque quanto quanta
    quantos quantas e sao era eram foi foram sou somos ser estou esta estao estar ha tenho tem ter posso pode podem poder devo deve
    devem nao nem ou mas entao ao aos de do da dos das em no na nos nas num numa por pelo pela para com sem sob sobre entre ate
    desde tambem muito mais ja`,
  nl: `de het een ik mij mijn me jij je jou jouw u uw wij we ons onze jullie hij hem zijn zij ze haar hun hen dit dat deze die wie wat
    welke welk wanneer waar waarom hoe is ben bent was waren geweest word wordt worden werd heb hebt heeft hebben had hadden kan kunt
    kunnen kon mag mogen moet moeten zal zullen wil willen niet geen en of maar als dan dus aan achter bij door in met na naar om
    onder op over per sinds te ten ter tot tussen uit van via voor zonder er hier daar ook nog al heel`,
  ru: `я меня мне мной мой моя мое мои ты тебя тебе твой мы нас нам наш наша наши вы вас вам ваш ваша ваши он его ему она ее ей оно они
    их им себя свой этот эта это эти того тот та те кто кого кому что чего чему какой какая какое какие каких который которая
    которое которые когда где куда откуда почему зачем как сколько чей есть был была было были быть будет буду могу может можно
    можете должен должна нужно надо не ни и или а но если то же ли бы чтобы так в во на над под по при про с со из к ко о об от до
    за для без через между после перед у тоже также только еще уже очень`,
  ar: `في من على الى عن مع ما ماذا متى اين كيف لماذا هل كم اي من هو هي هم هن انا انت نحن هذا هذه ذلك تلك الذي التي الذين كان كانت
    يكون تكون ان أن إن لا لم لن قد او ثم و ب ل ك ف بعد قبل بين عند كل بعض غير حتى منذ يمكن يمكنني`,
};

const LANGUAGES = Object.keys(FUNCTION_WORDS);
/** Function words required to detect a language: `war` alone may be English or German. */
const FEWEST = 2;

const wordsOf = (text: string): string[] => {
  const words: string[] = [];
  scanTerms(text, (_low, _high, kind, units, from, to) => {
    if (kind === WORD) words.push(String.fromCharCode(...units.subarray(from, to)));
  });
  return words;
};

// Folded like the words of a query.
const byLanguage = new Map(LANGUAGES.map((language) => [language, new Set(wordsOf(FUNCTION_WORDS[language]!))]));

const NONE: ReadonlySet<string> = new Set();

/** The function words of the query's language; empty if fewer than two of them indicate it. */
export function functionWordsOf(query: string): ReadonlySet<string> {
  const [best] = functionWordCounts(query);
  return best && best.count >= FEWEST ? best.words : NONE;
}

/** The language whose function words a longer text has, if they clearly indicate one of the known languages. */
export function languageByFunctionWords(text: string): string | undefined {
  const [best, second] = functionWordCounts(text);
  const isClear = best !== undefined && best.count > FEWEST && best.count >= 1.5 * (second?.count ?? 0);
  return isClear ? best.language : undefined;
}

/** The number of different function words of each language in a text, most first. */
function functionWordCounts(text: string): { language: string; words: ReadonlySet<string>; count: number }[] {
  const used = [...new Set(wordsOf(text))];
  const counts = [...byLanguage].map(([language, words]) => ({
    language,
    words,
    count: used.filter((word) => words.has(word)).length,
  }));
  return counts.sort((a, b) => b.count - a.count);
}
