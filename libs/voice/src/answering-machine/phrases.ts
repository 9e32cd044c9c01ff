/** The kinds of machine that their words reveal. `wait`: a screening service connects the caller. */
export type PhraseKind = 'voicemail' | 'screening' | 'ivr' | 'wait';

export interface FoundPhrases {
  kind: PhraseKind;
  keywords: string[];
  /** People who answer a telephone say no such words. */
  isSure: boolean;
}

/**
 * Sentences of machines by language. Accents, case and punctuation are removed from both sides. People who answer a telephone say none
 * of these: "who is this?" alone is not in the list.
 */
const PHRASES: Record<PhraseKind | 'leave' | 'absent', readonly RegExp[]> = {
  // Asks for a message: a voicemail, even when it asks for the reason of the call as well.
  leave: [
    /(leave|record) (me |us )?(a |your |the )?((short|brief|detailed) )*message/,
    /leave (me |us )?(a |your )?(full )?name/,
    /(hinterlassen|hinterlasst|hinterlasse|hinterlass|sprechen|sprich|sprecht) (sie )?(mir |uns |bitte |doch |einfach )*(eine |ihre |deine |eure )?(kurze )?(nachricht|mitteilung)/,
    /(deje|deja|dejar|dejanos|dejenos|grabe|graba) (me |nos )?(un|su|tu) (breve )?mensaje/,
    /(laissez|laisser|laisse)( moi| nous)? (un|votre|ton) (bref )?message/,
    /(lasciate|lasci|lascia|lasciare|registri) (un|il) (suo |tuo |breve )?messaggio/,
    /(deixe|deixa|grave) (o |a )?(seu |sua |um |uma )?(mensagem|recado)/,
  ],
  screening: [
    // English: iOS, Google, carriers
    /(record|state|say|give|tell me) your (full )?name( and|,)? (the |your )?(reason|why|purpose|company|what)/,
    /your name and (the |your )?(reason|why|purpose)/,
    /(say|state|record|tell us|give) your name( after| at| and|$)/,
    /(reason|purpose) (for|of) (your |the |this )?call/,
    /(using|uses) (a |the )?(call )?screening/,
    /call (screening|assistant)|screening (service|assistant)/,
    /(say|tell me|state) (who'?s|who is|whos) calling/,
    /why (you are|you're|youre) calling/,
    // German
    /(namen?|wer (sie|du) (sind|bist))( und|,)? (den |ihren |deinen |der |ihr )?(grund|anliegen)/,
    /(grund|anlass) (fur )?(ihres|deines|ihren|deinen|des) anruf/,
    /(nennen|sagen) sie (bitte )?(mir )?(ihren|den) namen/,
    /(nenne|sag) (bitte )?(mir )?deinen namen/,
    /warum (sie|du) (anrufen|anrufst)|wer (ruft an|anruft)/,
    /anruffilter|anrufassistent/,
    // Spanish
    /(diga|di|indique|indica|grabe|graba|deje) su? ?(tu )?nombre y (el |la )?(motivo|razon)/,
    /(nombre|quien (es|llama)) y (el |la |su |tu )?(motivo|razon)/,
    /(motivo|razon) de (su|tu|la) llamada/,
    /(diga|indique) quien llama|filtro de llamadas/,
    // French
    /nom et (le |la |votre |ton )?(motif|raison|objet)/,
    /(motif|raison|objet) de (votre|ton|l) ?appel/,
    /(indiquez|donnez|dites|enregistrez) votre nom/,
    /filtrage d ?(des )?appels?/,
    // Italian
    /nome e (il |la |lo )?(motivo|ragione|scopo)/,
    /(motivo|ragione) della (sua |tua )?chiamata/,
    /(dica|indichi|pronunci|registri) il (suo )?nome/,
    /filtro (delle )?chiamate/,
    // Portuguese
    /nome e (o |a )?(motivo|razao|assunto)/,
    /(motivo|razao) d(a|e) (sua |tua )?(ligacao|chamada)/,
    /(diga|informe|grave) (o )?(seu|teu) nome/,
    /filtro de (chamadas|ligacoes)/,
  ],
  voicemail: [
    /(after|at) the (tone|beep|signal)/,
    /voice ?mail|mailbox|answering machine/,
    /nach dem (signal|piep|ton|pfeif)/,
    /mailbox|anrufbeantworter|sprachbox/,
    /despues de (la senal|el tono|oir)|tras (la senal|el tono)/,
    /buzon de voz|contestador/,
    /apres le (bip|signal|son)|(boite|messagerie) vocale|repondeur/,
    /dopo il (segnale|bip|tono)|segreteria telefonica|casella vocale/,
    /(apos|depois d)o? ?o? (sinal|bip)|(caixa|correio) (postal|de voz|de mensagens)/,
  ],
  // People say so as well, about others.
  absent: [
    /(is|am|are) (currently )?(not available|unavailable)|(can ?not|can'?t|unable to) (come to|take|answer) (the|your) (phone|call)/,
    /nicht (erreichbar|zu erreichen)/,
    /no (esta|se encuentra) disponible/,
    /n ?'?est pas (disponible|joignable)/,
    /non (e )?(al momento )?(disponibile|raggiungibile)/,
    /nao (esta|se encontra) disponivel/,
  ],
  ivr: [
    /(press|dial|push) (the )?(\d+|one|two|three|four|five|six|seven|eight|nine|zero|star|pound|hash)\b/,
    /(listen|menu) (carefully|options have)|following (options|menu)|main menu|(enter|key in) your .{0,30}(number|code|pin)/,
    /(number|code) (you have|you) dialed|is not in service|all (of )?our (agents|lines|operators|representatives) are/,
    /(drucken|wahlen|druck|wahle) (sie )?(bitte )?(die |eine )?(taste )?(\d+|eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|null|raute|stern)\b/,
    /hauptmenu|alle (unsere )?(mitarbeiter|leitungen|platze)|kein anschluss unter/,
    /(pulse|presione|marque|oprima|pulsa|marca) (el |la )?(numero |tecla )?(\d+|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|cero|asterisco|almohadilla)\b/,
    /(appuyez|tapez|faites|composez)( sur)? (la )?(touche |le )?(\d+|un|deux|trois|quatre|cinq|six|sept|huit|neuf|zero|diese|etoile)\b/,
    /(prema|premere|digiti|digitare|premi) (il |lo )?(tasto )?(\d+|uno|due|tre|quattro|cinque|sei|sette|otto|nove|zero|cancelletto|asterisco)\b/,
    /(pressione|digite|tecle|prima|marque|aperte) (o |a )?(numero |tecla )?(\d+|um|dois|tres|quatro|cinco|seis|sete|oito|nove|zero|asterisco|cardinal)\b/,
  ],
  wait: [
    /(please )?(hold|stay) on|(please )?hold( the line)?$|one moment|wait (a|one) (moment|minute|second)|stay on the line|(see|check) if (they|he|she|this person|the person)/,
    /bleiben sie|(einen )?(moment|augenblick)( bitte)?|bitte warten/,
    /(espere|espera|aguarde|un momento)|no cuelgue/,
    /(ne quittez pas|patientez|un instant)/,
    /(attenda|attendere|un momento|resti in linea)/,
    /(aguarde|espere|um momento)/,
  ],
};

/** The later lists are weaker: a voicemail may offer keys, and a screening service asks for a name "after the tone". */
const BY_STRENGTH = ['leave', 'screening', 'voicemail', 'ivr', 'absent', 'wait'] as const;

/** Finds the sentences of machines in a transcript, which may be unfinished. Undefined: none. */
export function findPhrases(text: string): FoundPhrases | undefined {
  const plain = plainText(text);
  for (const list of BY_STRENGTH) {
    const keywords = PHRASES[list].flatMap((phrase) => phrase.exec(plain)?.[0].trim() ?? []);
    if (keywords.length === 0) continue;
    const kind = list === 'leave' || list === 'absent' ? 'voicemail' : list;
    return { kind, keywords: keywords.slice(0, MAX_KEYWORDS), isSure: list !== 'absent' && list !== 'wait' };
  }
  return undefined;
}

const MAX_KEYWORDS = 5;
/** A transcript of a greeting is shorter; the search stays fast for any text. */
const MAX_TEXT_LENGTH = 2_000;

const plainText = (text: string): string =>
  text
    .slice(-MAX_TEXT_LENGTH)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’']/g, "'")
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
