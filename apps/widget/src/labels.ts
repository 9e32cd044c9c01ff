import type { WebCallLanguage } from '@app/client/web';

export interface Labels {
  talk: string;
  hangUp: string;
  mute: string;
  unmute: string;
  keys: string;
  close: string;
  connecting: string;
  ringing: string;
  inProgress: string;
  reconnecting: string;
  ended: string;
  you: string;
  agent: string;
  person: string;
  words: string;
  microphone: string;
}

export const LABELS: Record<WebCallLanguage, Labels> = {
  en: {
    talk: 'Talk to us',
    hangUp: 'Hang up',
    mute: 'Mute',
    unmute: 'Unmute',
    keys: 'Keys',
    close: 'Close',
    connecting: 'Connecting …',
    ringing: 'Ringing …',
    inProgress: 'In call',
    reconnecting: 'Connection lost, trying again …',
    ended: 'The call has ended.',
    you: 'You',
    agent: 'Agent',
    person: 'Colleague',
    words: 'Conversation',
    microphone: 'The call uses your microphone.',
  },
  de: {
    talk: 'Sprechen Sie mit uns',
    hangUp: 'Auflegen',
    mute: 'Stumm',
    unmute: 'Ton an',
    keys: 'Tasten',
    close: 'Schließen',
    connecting: 'Verbindung wird aufgebaut …',
    ringing: 'Es klingelt …',
    inProgress: 'Im Gespräch',
    reconnecting: 'Verbindung unterbrochen, neuer Versuch …',
    ended: 'Der Anruf ist beendet.',
    you: 'Sie',
    agent: 'Agent',
    person: 'Mitarbeiter',
    words: 'Gespräch',
    microphone: 'Der Anruf verwendet Ihr Mikrofon.',
  },
  es: {
    talk: 'Hable con nosotros',
    hangUp: 'Colgar',
    mute: 'Silenciar',
    unmute: 'Activar sonido',
    keys: 'Teclas',
    close: 'Cerrar',
    connecting: 'Conectando …',
    ringing: 'Llamando …',
    inProgress: 'En llamada',
    reconnecting: 'Conexión perdida, reintentando …',
    ended: 'La llamada ha terminado.',
    you: 'Usted',
    agent: 'Agente',
    person: 'Compañero',
    words: 'Conversación',
    microphone: 'La llamada usa su micrófono.',
  },
  fr: {
    talk: 'Parlez-nous',
    hangUp: 'Raccrocher',
    mute: 'Couper le micro',
    unmute: 'Rétablir le micro',
    keys: 'Touches',
    close: 'Fermer',
    connecting: 'Connexion …',
    ringing: 'Appel en cours …',
    inProgress: 'En communication',
    reconnecting: 'Connexion perdue, nouvel essai …',
    ended: 'L’appel est terminé.',
    you: 'Vous',
    agent: 'Agent',
    person: 'Collègue',
    words: 'Conversation',
    microphone: 'L’appel utilise votre microphone.',
  },
};
