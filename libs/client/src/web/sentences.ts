/** Why a call could not start, has a problem, or is over. */
export type WebCallErrorCode =
  | 'microphone_denied'
  | 'microphone_missing'
  | 'microphone_busy'
  | 'microphone_unavailable'
  | 'no_speech'
  | 'agent_not_configured'
  | 'limit_reached'
  | 'connection_lost'
  | 'token_invalid'
  | 'not_allowed'
  | 'call_not_found'
  | 'replaced'
  | 'unavailable'
  | 'failed';

/** The languages that the sentences are written in. */
export type WebCallLanguage = 'en' | 'de' | 'es' | 'fr';

/** In the order of LANGUAGES. */
const SENTENCES: Record<WebCallErrorCode, readonly [string, string, string, string]> = {
  microphone_denied: [
    'The microphone is blocked. Allow it in the settings of your browser and try again.',
    'Das Mikrofon ist gesperrt. Erlauben Sie es in den Einstellungen des Browsers und versuchen Sie es erneut.',
    'El micrófono está bloqueado. Permítalo en la configuración del navegador e inténtelo de nuevo.',
    'Le microphone est bloqué. Autorisez-le dans les réglages du navigateur et réessayez.',
  ],
  microphone_missing: [
    'No microphone was found. Connect one and try again.',
    'Kein Mikrofon gefunden. Schließen Sie eines an und versuchen Sie es erneut.',
    'No se encontró ningún micrófono. Conecte uno e inténtelo de nuevo.',
    'Aucun microphone trouvé. Branchez-en un et réessayez.',
  ],
  microphone_busy: [
    'The microphone cannot be used. Close other programs that use it and try again.',
    'Das Mikrofon ist nicht verfügbar. Schließen Sie andere Programme, die es verwenden, und versuchen Sie es erneut.',
    'No se puede usar el micrófono. Cierre otros programas que lo usen e inténtelo de nuevo.',
    'Le microphone ne peut pas être utilisé. Fermez les autres programmes qui l’utilisent et réessayez.',
  ],
  microphone_unavailable: [
    'This browser offers no microphone to this page. Use a current browser and an https address.',
    'Dieser Browser gibt der Seite kein Mikrofon. Verwenden Sie einen aktuellen Browser und eine https-Adresse.',
    'Este navegador no ofrece micrófono a esta página. Use un navegador actual y una dirección https.',
    'Ce navigateur n’offre pas de microphone à cette page. Utilisez un navigateur récent et une adresse https.',
  ],
  no_speech: [
    'Nothing was heard from your microphone for 10 seconds. Check that it is on and not muted.',
    'Seit 10 Sekunden ist von Ihrem Mikrofon nichts zu hören. Prüfen Sie, ob es eingeschaltet ist.',
    'No se oye nada de su micrófono desde hace 10 segundos. Compruebe que está encendido.',
    'Rien n’a été entendu de votre microphone depuis 10 secondes. Vérifiez qu’il est activé.',
  ],
  agent_not_configured: [
    'This agent is not ready for calls yet.',
    'Dieser Agent ist noch nicht für Anrufe eingerichtet.',
    'Este agente aún no está preparado para llamadas.',
    'Cet agent n’est pas encore prêt à recevoir des appels.',
  ],
  limit_reached: [
    'Too many calls at the moment. Please try again later.',
    'Zurzeit gibt es zu viele Anrufe. Bitte versuchen Sie es später erneut.',
    'Hay demasiadas llamadas en este momento. Inténtelo más tarde.',
    'Trop d’appels en ce moment. Veuillez réessayer plus tard.',
  ],
  connection_lost: [
    'The connection was lost, and the call has ended.',
    'Die Verbindung ist abgebrochen, der Anruf ist beendet.',
    'Se perdió la conexión y la llamada ha terminado.',
    'La connexion a été perdue et l’appel est terminé.',
  ],
  token_invalid: [
    'This link has expired or was already used. Ask for a new one.',
    'Dieser Link ist abgelaufen oder wurde schon benutzt. Fordern Sie einen neuen an.',
    'Este enlace ha caducado o ya se ha usado. Pida uno nuevo.',
    'Ce lien a expiré ou a déjà été utilisé. Demandez-en un nouveau.',
  ],
  not_allowed: [
    'Calls are not allowed from this page.',
    'Von dieser Seite aus sind keine Anrufe erlaubt.',
    'No se permiten llamadas desde esta página.',
    'Les appels ne sont pas autorisés depuis cette page.',
  ],
  call_not_found: [
    'This call does not exist, or it has ended.',
    'Diesen Anruf gibt es nicht, oder er ist beendet.',
    'Esta llamada no existe o ha terminado.',
    'Cet appel n’existe pas ou est terminé.',
  ],
  replaced: [
    'The call was continued in another window.',
    'Der Anruf wird in einem anderen Fenster fortgesetzt.',
    'La llamada continúa en otra ventana.',
    'L’appel se poursuit dans une autre fenêtre.',
  ],
  unavailable: [
    'Calls are not possible at the moment. Please try again later.',
    'Zurzeit sind keine Anrufe möglich. Bitte versuchen Sie es später erneut.',
    'No es posible llamar en este momento. Inténtelo más tarde.',
    'Les appels sont impossibles en ce moment. Veuillez réessayer plus tard.',
  ],
  failed: [
    'The call failed. Please try again.',
    'Der Anruf ist fehlgeschlagen. Bitte versuchen Sie es erneut.',
    'La llamada ha fallado. Inténtelo de nuevo.',
    'L’appel a échoué. Veuillez réessayer.',
  ],
};

const LANGUAGES: readonly string[] = ['en', 'de', 'es', 'fr'] satisfies WebCallLanguage[];

/** The first of the language tags (`de-CH`) that the sentences are written in; English without one. */
export function languageOf(tags: readonly (string | null | undefined)[]): WebCallLanguage {
  const wanted = tags.map((tag) => tag?.toLowerCase().split('-')[0] ?? '');
  return (wanted.find((tag) => LANGUAGES.includes(tag)) ?? 'en') as WebCallLanguage;
}

/** The language of the page, or else that of the browser. */
export const pageLanguage = (): WebCallLanguage => languageOf([document.documentElement.lang, ...navigator.languages]);

/** A sentence for the person at the page. */
export const sentence = (code: WebCallErrorCode, language: WebCallLanguage): string =>
  SENTENCES[code][LANGUAGES.indexOf(language)]!;

/** Codes of errors and causes of ends in the service, for which there is a sentence here. */
const SAME: Readonly<Record<string, WebCallErrorCode>> = {
  agent_provider_error: 'unavailable',
  concurrency_limit: 'limit_reached',
  drained: 'unavailable',
  limit: 'limit_reached',
  media_timeout: 'connection_lost',
  media_unavailable: 'unavailable',
  no_dialer: 'unavailable',
  no_such_call: 'call_not_found',
  not_connected: 'token_invalid',
  spend_limit: 'limit_reached',
  taken_over: 'replaced',
  worker_lost: 'connection_lost',
};

/** What an error or a cause of the service means for the person at the page; undefined where there is no sentence. */
export const errorCodeOf = (code: string): WebCallErrorCode | undefined =>
  Object.hasOwn(SENTENCES, code) ? (code as WebCallErrorCode) : SAME[code];

/** A call that could not start or go on. `message` is a sentence for the person at the page. */
export class WebCallError extends Error {
  override readonly name = 'WebCallError';

  constructor(
    readonly code: WebCallErrorCode,
    message: string,
  ) {
    super(message);
  }
}
