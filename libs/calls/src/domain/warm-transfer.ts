import type { TransferMode } from '@app/agents';

/** How the person accepted. */
export type AcceptedBy = 'key' | 'voice';

/** Why an answered second leg was not joined. */
export const DECLINED_REASONS = ['key', 'voice', 'no_reaction', 'hung_up', 'voicemail', 'fax'] as const;
export type DeclinedReason = (typeof DECLINED_REASONS)[number];

/**
 * The stage of one attempt to transfer a call.
 * - `ringing`: dialled
 * - `connecting`: answered; the extension digits are sent
 * - `screening`: a person or a machine
 * - `briefing`: the person hears the briefing, and decides
 * - `joined`
 * - `over`
 */
export type TransferStage = 'ringing' | 'connecting' | 'screening' | 'briefing' | 'joined' | 'over';

export type TransferEvent =
  | { type: 'answered' }
  /** The extension digits are sent. */
  | { type: 'reached' }
  | { type: 'person' }
  | { type: 'machine'; isFax: boolean }
  | { type: 'key'; key: string }
  /** By words, or by a tool of the provider. */
  | { type: 'voice'; accepts: boolean }
  /** The time for a decision is over. */
  | { type: 'waited' }
  | { type: 'leg_ended' }
  /** The caller left, the transfer was cancelled, or the dialer stops. */
  | { type: 'cancelled' };

/** The end of an attempt: `failed` before the answer, `left` after the join. */
export type TransferResult =
  | { type: 'accepted'; by: AcceptedBy | null }
  | { type: 'declined'; reason: DeclinedReason }
  | { type: 'failed' }
  | { type: 'cancelled' }
  | { type: 'left' };

interface TransferStep {
  stage: TransferStage;
  action?: 'dial_extension' | 'screen' | 'await_decision' | 'join' | 'hang_up';
  result?: TransferResult;
}

const ACCEPT_KEY = '1';
const DECLINE_KEY = '2';

/** The next step of an attempt. An event that has no meaning in the stage changes nothing; `join` is the action of one step at most. */
export function nextTransferStep(stage: TransferStage, event: TransferEvent, mode: TransferMode): TransferStep {
  if (stage === 'over') return { stage };
  if (event.type === 'cancelled') return over({ type: 'cancelled' });
  if (event.type === 'leg_ended') return { stage: 'over', result: endedResult(stage) };
  if (stage === 'ringing')
    return event.type === 'answered' ? { stage: 'connecting', action: 'dial_extension' } : { stage };
  if (stage === 'connecting') return event.type === 'reached' ? reached(mode) : { stage };
  if (stage === 'joined') return { stage };
  return decided(stage, event);
}

const reached = (mode: TransferMode): TransferStep =>
  mode === 'cold' ? join(null) : { stage: 'screening', action: 'screen' };

const join = (by: AcceptedBy | null): TransferStep => ({
  stage: 'joined',
  action: 'join',
  result: { type: 'accepted', by },
});

const over = (result: TransferResult): TransferStep => ({ stage: 'over', action: 'hang_up', result });

const declined = (reason: DeclinedReason): TransferStep => over({ type: 'declined', reason });

function endedResult(stage: TransferStage): TransferResult {
  if (stage === 'ringing') return { type: 'failed' };
  return stage === 'joined' ? { type: 'left' } : { type: 'declined', reason: 'hung_up' };
}

function decided(stage: 'screening' | 'briefing', event: TransferEvent): TransferStep {
  if (event.type === 'machine') return declined(event.isFax ? 'fax' : 'voicemail');
  if (event.type === 'waited') return declined('no_reaction');
  // A person who knows the briefing presses the key at once; machines press none.
  if (event.type === 'key' && event.key === ACCEPT_KEY) return join('key');
  if (event.type === 'key' && event.key === DECLINE_KEY) return declined('key');
  if (stage === 'screening')
    return event.type === 'person' ? { stage: 'briefing', action: 'await_decision' } : { stage };
  if (event.type === 'voice') return event.accepts ? join('voice') : declined('voice');
  return { stage };
}

/** Words that accept and decline, and the phrases of a briefing, by language. */
interface TransferLanguage {
  yes: readonly string[];
  no: readonly string[];
  greeting: string;
  question: string;
  goodbye: string;
}

const ENGLISH: TransferLanguage = {
  yes: ['yes', 'yeah', 'yep', 'sure', 'okay', 'ok', 'of course', 'put them through', 'go ahead'],
  no: ['no', 'nope', 'not now', 'later', 'cannot', "can't", "don't", 'do not'],
  greeting: 'Hello, I have a call for you.',
  question: 'Press 1 or say yes to take the call. Press 2 or say no to decline.',
  goodbye: 'Thank you. Goodbye.',
};

const LANGUAGES: Readonly<Record<string, TransferLanguage>> = {
  en: ENGLISH,
  de: {
    yes: ['ja', 'jawohl', 'gerne', 'gern', 'okay', 'ok', 'klar', 'natürlich', 'durchstellen'],
    no: ['nein', 'nicht', 'später', 'nee', 'ne', 'keine', 'kein'],
    greeting: 'Guten Tag, ich habe ein Gespräch für Sie.',
    question:
      'Drücken Sie die 1 oder sagen Sie ja, um es anzunehmen. Drücken Sie die 2 oder sagen Sie nein, um es abzulehnen.',
    goodbye: 'Vielen Dank. Auf Wiederhören.',
  },
  fr: {
    yes: ['oui', "d'accord", 'ok', 'okay', 'bien sûr', 'volontiers', 'allez-y'],
    no: ['non', 'pas', 'plus tard'],
    greeting: "Bonjour, j'ai un appel pour vous.",
    question: 'Appuyez sur 1 ou dites oui pour prendre l’appel. Appuyez sur 2 ou dites non pour le refuser.',
    goodbye: 'Merci. Au revoir.',
  },
  es: {
    yes: ['sí', 'si', 'vale', 'claro', 'de acuerdo', 'ok', 'adelante'],
    no: ['no', 'ahora no', 'más tarde', 'luego'],
    greeting: 'Hola, tengo una llamada para usted.',
    question: 'Pulse 1 o diga sí para atenderla. Pulse 2 o diga no para rechazarla.',
    goodbye: 'Gracias. Adiós.',
  },
  it: {
    yes: ['sì', 'si', 'va bene', 'certo', "d'accordo", 'ok'],
    no: ['no', 'non', 'più tardi'],
    greeting: 'Buongiorno, ho una chiamata per lei.',
    question: 'Prema 1 o dica sì per rispondere. Prema 2 o dica no per rifiutare.',
    goodbye: 'Grazie. Arrivederci.',
  },
  pt: {
    yes: ['sim', 'claro', 'está bem', 'pode ser', 'ok'],
    no: ['não', 'nao', 'agora não', 'mais tarde'],
    greeting: 'Olá, tenho uma chamada para si.',
    question: 'Prima 1 ou diga sim para atender. Prima 2 ou diga não para recusar.',
    goodbye: 'Obrigado. Adeus.',
  },
  nl: {
    yes: ['ja', 'graag', 'oké', 'ok', 'prima', 'natuurlijk'],
    no: ['nee', 'niet', 'later', 'geen'],
    greeting: 'Goedendag, ik heb een gesprek voor u.',
    question: 'Druk op 1 of zeg ja om het aan te nemen. Druk op 2 of zeg nee om het te weigeren.',
    goodbye: 'Dank u. Tot ziens.',
  },
};

/** `language`: BCP 47; absent or unknown: English. */
export const transferPhrases = (language?: string): Pick<TransferLanguage, 'greeting' | 'question' | 'goodbye'> =>
  languageOf(language);

const languageOf = (language = 'en'): TransferLanguage =>
  LANGUAGES[language.toLowerCase().split('-', 1)[0] ?? ''] ?? ENGLISH;

/**
 * Whether the words accept (true) or decline (false) a call. Undefined: neither, or both. English words count in every language; a
 * refusal wins over a politeness ("yes, but not now").
 */
export function acceptanceIn(words: string, language?: string): boolean | undefined {
  const text = ` ${words
    .toLowerCase()
    .normalize('NFC')
    .replace(/[’]/g, "'")
    .replace(/[^\p{L}\p{N}'-]+/gu, ' ')
    .trim()} `;
  const own = languageOf(language);
  const holds = (list: readonly string[]): boolean => list.some((one) => text.includes(` ${one} `));
  if (holds(own.no)) return false;
  if (holds(own.yes)) return true;
  if (own === ENGLISH) return undefined;
  return holds(['no']) ? false : holds(['yes', 'yeah']) ? true : undefined;
}
