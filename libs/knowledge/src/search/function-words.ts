import { scanTerms, WORD } from './terms.js';

/**
 * Function words by language: articles, pronouns, prepositions, conjunctions, auxiliaries and question words. They are rare in a
 * small knowledge base, so that their inverse document frequency alone would give them too much weight. They are written folded, as
 * scanTerms emits the words of a query: folding them here took 16 ms in each process.
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
  ar: `في من علي الي عن مع ما ماذا متي اين كيف لماذا هل كم اي من هو هي هم هن انا انت نحن هذا هذه ذلك تلك الذي التي ذين كان كانت
    يكون تكون ان لا لم لن قد او ثم و ب ل ك ف بعد قبل بين عند كل بعض غير حتي منذ يمكن يمكنني`,
};

const LANGUAGES = Object.keys(FUNCTION_WORDS);
/** Function words required to detect a language: `war` alone may be English or German. */
const MIN = 2;

const wordsOf = (text: string): string[] => {
  const words: string[] = [];
  scanTerms(text, (_low, _high, kind, units, from, to) => {
    if (kind === WORD) words.push(String.fromCharCode(...units.subarray(from, to)));
  });
  return words;
};

const byLanguage = new Map(LANGUAGES.map((language) => [language, new Set(FUNCTION_WORDS[language]!.split(/\s+/))]));

const NONE: ReadonlySet<string> = new Set();

/** The function words of the query's language; empty if fewer than two of them indicate it. */
export function functionWordsOf(query: string): ReadonlySet<string> {
  const [best] = functionWordCounts(query);
  return best && best.count >= MIN ? best.words : NONE;
}

/** The language whose function words a longer text has, if they clearly indicate one of the known languages. */
export function languageByFunctionWords(text: string): string | undefined {
  const [best, second] = functionWordCounts(text);
  const isClear = best !== undefined && best.count > MIN && best.count >= 1.5 * (second?.count ?? 0);
  return isClear ? best.language : undefined;
}

/** Frequent words of further languages in the Latin script that are not words of English. */
const FURTHER = new Set(
  `att det som av inte jag och er til af ikke jeg hvor w na sie jest nie z ze jak bir ve bu icin ile nasil je yang dan untuk dengan ini
  itu apa ja ei etta es az nem hogy si cu pentru nu este`.split(/\s+/),
);
const OTHERS = new Set([
  ...LANGUAGES.filter((one) => one !== 'en').flatMap((one) => [...byLanguage.get(one)!]),
  ...FURTHER,
]);

/** Names and quotations in other scripts are common in English texts. */
const LATIN_SHARE = 0.8;

/**
 * Whether a text or a question is English, by its script and its function words, of which those of several languages ("in", "is") do
 * not count. Numbers, names and headings without any function word are taken for English if they are plain Latin letters.
 */
export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters === 0 || latin < letters * LATIN_SHARE) return false;
  let [english, others] = [0, 0];
  for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
    const folded = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const [isEnglishWord, isOther] = [byLanguage.get('en')!.has(folded), OTHERS.has(folded)];
    if (isEnglishWord && !isOther) english++;
    else if (!isEnglishWord && (isOther || /\P{ASCII}/u.test(word))) others++;
  }
  return english > others || (english === 0 && others === 0);
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
