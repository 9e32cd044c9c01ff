import { describe, expect, it } from '@jest/globals';
import { findPhrases, type PhraseKind } from './phrases.js';
import { fastestOf } from '../../../../test/support/growth.js';

const SENTENCES: [PhraseKind, string][] = [
  ['screening', "Hi, if you record your name and reason for calling, I'll see if this person is available."],
  [
    'screening',
    'Hi, the person you’re calling is using a screening service from Google. Go ahead and say your name and why you’re calling.',
  ],
  ['screening', 'Please say who is calling.'],
  ['screening', 'Please state your name and the reason for your call.'],
  ['screening', 'Please say your name after the tone.'],
  [
    'screening',
    'Hallo, wenn du deinen Namen und den Grund deines Anrufs aufnimmst, sehe ich nach, ob die Person erreichbar ist.',
  ],
  ['screening', 'Bitte nennen Sie Ihren Namen und den Grund Ihres Anrufs.'],
  ['screening', 'Por favor, diga su nombre y el motivo de su llamada.'],
  ['screening', 'Veuillez indiquer votre nom et la raison de votre appel.'],
  ['screening', 'Dica il suo nome e il motivo della chiamata.'],
  ['screening', 'Diga o seu nome e o motivo da ligação.'],
  ['voicemail', 'Please leave a short message after the tone.'],
  ['voicemail', 'Leave your name, number and the reason for your call.'],
  ['voicemail', 'The person you are calling is not available.'],
  [
    'voicemail',
    'Your call has been forwarded to an automatic voice message system. At the tone, please record your message. When you are finished, press pound.',
  ],
  ['voicemail', 'Hinterlassen Sie bitte eine Nachricht nach dem Signalton.'],
  ['voicemail', 'Der Teilnehmer ist momentan nicht erreichbar.'],
  ['voicemail', 'Deje su mensaje después de la señal.'],
  ['voicemail', 'Bonjour, laissez un message après le bip.'],
  ['voicemail', 'Lasciate un messaggio dopo il segnale acustico.'],
  ['voicemail', 'Deixe sua mensagem após o sinal.'],
  ['ivr', 'Thank you for calling. For sales, press one.'],
  ['ivr', 'Please listen carefully as our menu options have changed.'],
  ['ivr', 'Für den Vertrieb drücken Sie bitte die 1.'],
  ['ivr', 'Para ventas, pulse el uno.'],
  ['ivr', 'Pour le service commercial, tapez 1.'],
  ['ivr', 'Per le vendite prema il tasto 2.'],
  ['ivr', 'Para vendas, digite 1.'],
  ['wait', 'Thanks. Please stay on the line.'],
  ['wait', 'Einen Moment, bitte.'],
];

describe('the sentences of machines', () => {
  it.each(SENTENCES)('%s: %s', (kind, text) => expect(findPhrases(text)?.kind).toBe(kind));

  it.each([
    'Hello?',
    'Hi, who is this please?',
    'Hello, this is Anna Miller.',
    'Good morning, Miller and Sons, how may I help you today?',
    'Ja, Müller?',
    'Wer ist da?',
    '¿Dígame?',
    '¿Quién es?',
    'Allô, oui ?',
    'Pronto, chi parla?',
    'Alô, quem fala?',
    'May I ask who is calling?',
    '',
  ])('people say nothing of the kind: %s', (text) => expect(findPhrases(text)).toBeUndefined());

  it('the words that were found are reported', () => {
    expect(findPhrases('Please leave a message after the beep!')?.keywords).toEqual(['leave a message']);
  });

  it('a long transcript takes no time', async () => {
    const text = 'please leave your name and your name and '.repeat(20_000);
    expect(await fastestOf(() => findPhrases(text))).toBeLessThan(200);
  });
});
