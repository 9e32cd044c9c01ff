import { silence, type PhonemeName, PHONEMES, type Posture } from './phonemes.js';
import type { Token } from './reading.js';
import { SPELLING_RULES } from './spelling-rules.js';

/** A posture with the pitch of the voice at its end, in Hz. */
export type Gesture = Posture & { pitch: number };

const START_PITCH = 128;
const END_PITCH = 96;
const STRESS_PITCH = 14;
const QUESTION_PITCH = 45;
const SHORT_PAUSE_MS = 160;
const LONG_PAUSE_MS = 250;
/** Speakers slow down before a pause. */
const FINAL_LENGTHENING = 1.45;
/** Vowels after the first of a word are mostly unstressed. */
const UNSTRESSED_LENGTH = 0.8;

interface Spoken {
  name: PhonemeName;
  stressed: boolean;
  /** The last vowel before a pause. */
  final: boolean;
  question: boolean;
}

/** Gives words and pauses their timing and melody: pitch falls over the sentence, rises on stress and at a question's end. */
export function gesturesOf(tokens: Token[]): Gesture[] {
  const total = tokens.filter((token) => token.kind === 'word').length;
  const gestures: Gesture[] = [];
  let words = 0;
  tokens.forEach((token, index) => {
    const base = START_PITCH + ((END_PITCH - START_PITCH) * words) / Math.max(total, 1);
    if (token.kind === 'pause') {
      gestures.push({ ...silence(token.length === 'short' ? SHORT_PAUSE_MS : LONG_PAUSE_MS), pitch: base });
      return;
    }
    words++;
    for (const spoken of wordOf(token.letters, tokens[index + 1])) gestures.push(...gesturesFor(spoken, base));
  });
  return gestures;
}

function wordOf(letters: string, next: Token | undefined): Spoken[] {
  const names = pronounce(letters);
  const firstVowel = names.findIndex((name) => PHONEMES[name].vowel);
  const lastVowel = names.findLastIndex((name) => PHONEMES[name].vowel);
  const final = next === undefined || next.kind === 'pause';
  return names.map((name, index) => ({
    name,
    stressed: index === firstVowel,
    final: final && index === lastVowel,
    question: next?.kind === 'pause' && next.question,
  }));
}

function gesturesFor(spoken: Spoken, base: number): Gesture[] {
  const { vowel, postures } = PHONEMES[spoken.name];
  const stretch = vowel ? (spoken.final ? FINAL_LENGTHENING : 1) * (spoken.stressed ? 1 : UNSTRESSED_LENGTH) : 1;
  const rise = (spoken.stressed ? STRESS_PITCH : 0) + (spoken.final && spoken.question ? QUESTION_PITCH : 0);
  return postures.map((posture) => ({ ...posture, ms: posture.ms * stretch, pitch: base + rise }));
}

interface Rule {
  letters: string;
  left: RegExp;
  right: RegExp;
  phonemes: PhonemeName[];
}

const CLASSES: Record<string, string> = {
  V: '[aeiouy]',
  C: '[^aeiouy]',
  F: '[eiy]',
  '*': '[^aeiouy]*',
  S: '(?:e|ed|er|es|ely|ing)',
  _: '',
};

const RULES = byFirstLetter(SPELLING_RULES.trim().split('\n').map(parseRule));

/** English phonemes of a word of letters a-z, by the table of exceptions, then by rules. */
export function pronounce(word: string): PhonemeName[] {
  const known = EXCEPTIONS.get(word);
  if (known) return known.split('-') as PhonemeName[];
  const phonemes: PhonemeName[] = [];
  for (let at = 0; at < word.length;) {
    const rule = ruleAt(word, at);
    phonemes.push(...(rule?.phonemes ?? []));
    at += rule?.letters.length ?? 1;
  }
  return phonemes.length > 0 ? phonemes : ['AX'];
}

function ruleAt(word: string, at: number): Rule | undefined {
  const candidates = RULES.get(word.charAt(at)) ?? [];
  return candidates.find(
    (rule) =>
      word.startsWith(rule.letters, at) &&
      rule.left.test(word.slice(0, at)) &&
      rule.right.test(word.slice(at + rule.letters.length)),
  );
}

function parseRule(line: string): Rule {
  const [, left = '', letters = '', right = '', phonemes = ''] = /^(.*)\[(.+)\](.*)=(.*)$/.exec(line) ?? [];
  return {
    letters,
    left: new RegExp(`${left.startsWith('_') ? '^' : ''}${pattern(left)}$`),
    right: new RegExp(`^${pattern(right)}${right.endsWith('_') ? '$' : ''}`),
    phonemes: phonemes.split(' ').filter(Boolean) as PhonemeName[],
  };
}

function pattern(context: string): string {
  return Array.from(context)
    .map((sign) => CLASSES[sign] ?? sign)
    .join('');
}

function byFirstLetter(rules: Rule[]): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  for (const rule of rules) {
    const first = rule.letters.charAt(0);
    groups.set(first, [...(groups.get(first) ?? []), rule]);
  }
  return groups;
}

/** Frequent English words that the spelling rules would get wrong: `word=phonemes`. */
const EXCEPTION_TABLE = `
  the=DH-AX of=AH-V to=T-UW and=AX-N-D you=Y-UW your=Y-AO-R i=AY was=W-AA-Z were=W-ER are=AA-R be=B-IY been=B-IH-N
  have=HH-AE-V has=HH-AE-Z his=HH-IH-Z is=IH-Z as=AE-Z this=DH-IH-S with=W-IH-DH from=F-R-AH-M they=DH-EY
  their=DH-EH-R there=DH-EH-R where=W-EH-R here=HH-IH-R what=W-AA-T who=HH-UW do=D-UW does=D-AH-Z done=D-AH-N
  one=W-AH-N once=W-AH-N-S two=T-UW four=F-AO-R eight=EY-T seven=S-EH-V-AX-N five=F-AY-V nine=N-AY-N zero=Z-IH-R-OW
  eleven=IH-L-EH-V-AX-N some=S-AH-M come=K-AH-M give=G-IH-V live=L-IH-V any=EH-N-IY many=M-EH-N-IY said=S-EH-D
  says=S-EH-Z again=AX-G-EH-N against=AX-G-EH-N-S-T water=W-AO-T-ER people=P-IY-P-AX-L would=W-UH-D could=K-UH-D
  should=SH-UH-D only=OW-N-L-IY about=AX-B-AW-T through=TH-R-UW though=DH-OW enough=IH-N-AH-F thank=TH-AE-NG-K
  thanks=TH-AE-NG-K-S think=TH-IH-NG-K thing=TH-IH-NG three=TH-R-IY thirty=TH-ER-T-IY thousand=TH-AW-Z-AX-N-D
  hello=HH-AX-L-OW goodbye=G-UH-D-B-AY please=P-L-IY-Z sorry=S-AA-R-IY voice=V-OY-S agent=EY-JH-AX-N-T
  number=N-AH-M-B-ER press=P-R-EH-S pressed=P-R-EH-S-T key=K-IY keys=K-IY-Z heard=HH-ER-D hear=HH-IH-R call=K-AO-L
  calls=K-AO-L-Z calling=K-AO-L-IH-NG phone=F-OW-N second=S-EH-K-AX-N-D seconds=S-EH-K-AX-N-D-Z minute=M-IH-N-AX-T
  minutes=M-IH-N-AX-T-S busy=B-IH-Z-IY business=B-IH-Z-N-AX-S today=T-AX-D-EY tomorrow=T-AX-M-AA-R-OW
  because=B-IH-K-AO-Z other=AH-DH-ER another=AX-N-AH-DH-ER mother=M-AH-DH-ER nothing=N-AH-TH-IH-NG
  something=S-AH-M-TH-IH-NG someone=S-AH-M-W-AH-N into=IH-N-T-UW very=V-EH-R-IY every=EH-V-R-IY ever=EH-V-ER
  never=N-EH-V-ER over=OW-V-ER open=OW-P-AX-N even=IY-V-AX-N acme=AE-K-M-IY trunkline=T-R-AH-NG-K-L-AY-N
  sandbox=S-AE-N-D-B-AA-K-S demo=D-EH-M-OW service=S-ER-V-AX-S office=AO-F-AX-S message=M-EH-S-IH-JH
  problem=P-R-AA-B-L-AX-M technical=T-EH-K-N-IH-K-AX-L answer=AE-N-S-ER question=K-W-EH-S-CH-AX-N listen=L-IH-S-AX-N
  understand=AH-N-D-ER-S-T-AE-N-D words=W-ER-D-Z time=T-AY-M still=S-T-IH-L moment=M-OW-M-AX-N-T welcome=W-EH-L-K-AX-M
  appointment=AX-P-OY-N-T-M-AX-N-T euros=Y-UH-R-OW-Z dollars=D-AA-L-ER-Z customer=K-AH-S-T-AX-M-ER
  company=K-AH-M-P-AX-N-IY support=S-AX-P-AO-R-T account=AX-K-AW-N-T computer=K-AX-M-P-Y-UW-T-ER island=AY-L-AX-N-D
  understood=AH-N-D-ER-S-T-UH-D language=L-AE-NG-G-W-IH-JH reservation=R-EH-Z-ER-V-EY-SH-AX-N
  delivery=D-IH-L-IH-V-ER-IY information=IH-N-F-ER-M-EY-SH-AX-N schedule=S-K-EH-JH-UH-L telephone=T-EH-L-AX-F-OW-N
  hundred=HH-AH-N-D-R-AX-D million=M-IH-L-Y-AX-N billion=B-IH-L-Y-AX-N percent=P-ER-S-EH-N-T point=P-OY-N-T
  mister=M-IH-S-T-ER doctor=D-AA-K-T-ER street=S-T-R-IY-T than=DH-AE-N then=DH-EH-N them=DH-EH-M that=DH-AE-T
  those=DH-OW-Z these=DH-IY-Z no=N-OW so=S-OW go=G-OW we=W-IY me=M-IY he=HH-IY she=SH-IY my=M-AY by=B-AY or=AO-R
  for=F-AO-R not=N-AA-T can=K-AE-N cannot=K-AE-N-AA-T will=W-IH-L our=AW-ER us=AH-S up=AH-P on=AA-N off=AO-F
  ends=EH-N-D-Z end=EH-N-D ask=AE-S-K asked=AE-S-K-T tells=T-EH-L-Z name=N-EY-M speak=S-P-IY-K spoke=S-P-OW-K
  later=L-EY-T-ER try=T-R-AY hang=HH-AE-NG ten=T-EH-N dubbleyoo=D-AH-B-AX-L-Y-UW friend=F-R-EH-N-D
`;

/** Word -> phonemes joined by `-`. */
const EXCEPTIONS = new Map(
  EXCEPTION_TABLE.trim()
    .split(/\s+/)
    .map((entry) => entry.split('=') as [string, string]),
);
