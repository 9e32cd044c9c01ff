import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FormantVoice } from '@app/sandbox/formant';
import { readWav, resample } from '@app/voice';

export type Kind = 'human' | 'voicemail' | 'ivr' | 'screening';

/** Sentences with pauses in milliseconds between them. */
type Script = readonly (string | number)[];

type Scripts = Record<Kind, readonly Script[]>;

export interface Utterance {
  kind: Kind;
  speaker: string;
  samples: Int16Array;
  text: string;
}

interface Speaker {
  name: string;
  language: string;
  say: (text: string, folder: string) => Promise<Int16Array>;
}

/** Constants were chosen with these scripts and voices, and are measured with the others. */
const TUNING: Record<string, Scripts> = {
  en: {
    human: [['Hello?'], ['Yes?'], ['Smith.'], ['Hello, John speaking.'], ['Hello?', 600, 'Hello?']],
    voicemail: [
      ['Hi, you have reached Bob Miller.', 300, 'Please leave a message after the tone.'],
      ['The person you are calling is not available.', 350, 'Please leave your message after the beep.'],
    ],
    ivr: [['Thank you for calling.', 300, 'For sales, press one.', 300, 'For support, press two.']],
    screening: [['Hi, if you record your name and reason for calling, I will see if this person is available.']],
  },
  de: {
    human: [['Hallo?'], ['Müller.'], ['Ja bitte?']],
    voicemail: [
      ['Hallo, hier ist der Anschluss von Anna.', 400, 'Bitte hinterlassen Sie eine Nachricht nach dem Signalton.'],
    ],
    ivr: [['Willkommen.', 300, 'Für den Verkauf drücken Sie die eins.']],
    screening: [['Bitte nennen Sie Ihren Namen und den Grund Ihres Anrufs.']],
  },
};

const TEST: Record<string, Scripts> = {
  en: {
    human: [
      ['Hi?'],
      ['Good evening.'],
      ['Peter Jones here.'],
      ['Yeah, hello?'],
      ['Hello.', 500, 'Who is there?'],
      ['This is Mary.'],
    ],
    voicemail: [
      ['Hey, this is Sam.', 250, 'I missed your call, so leave me a message and I will get back to you.'],
      ['Your call has been forwarded to voicemail.', 300, 'At the tone, please record your message.'],
      ['Sorry, we are closed at the moment.', 450, 'Leave your name and number, and we will call you back.'],
    ],
    ivr: [
      ['Welcome to the bank.', 250, 'For your balance, press one.', 250, 'To speak to an agent, press zero.'],
      ['Please listen carefully, as our menu options have changed.'],
    ],
    screening: [
      [
        'The person you are calling is using a screening service.',
        200,
        'Go ahead and say your name and why you are calling.',
      ],
      ['Please state your name and the purpose of your call.'],
    ],
  },
  de: {
    human: [['Schmidt.'], ['Hallo, wer ist da?'], ['Ja?'], ['Guten Tag.']],
    voicemail: [['Sie haben die Mailbox von Peter erreicht.', 300, 'Sprechen Sie nach dem Piepton.']],
    ivr: [['Herzlich willkommen bei der Bank.', 300, 'Wählen Sie die zwei für Ihren Kontostand.']],
    screening: [['Hallo, wenn du deinen Namen und den Grund deines Anrufs aufnimmst, schaue ich nach.']],
  },
  es: {
    human: [['¿Dígame?'], ['¿Sí?'], ['Hola, ¿quién es?']],
    voicemail: [['Ha llamado a la casa de Pedro.', 300, 'Deje su mensaje después de la señal.']],
    ivr: [['Bienvenido al banco.', 300, 'Para consultar su saldo, pulse uno.']],
    screening: [['Por favor, diga su nombre y el motivo de su llamada.']],
  },
  fr: {
    human: [['Allô ?'], ['Oui ?'], ['Bonjour, qui est-ce ?']],
    voicemail: [['Bonjour, vous êtes bien chez Marie.', 300, 'Laissez un message après le bip.']],
    ivr: [['Bienvenue à la banque.', 300, 'Pour votre compte, tapez un.']],
    screening: [['Veuillez indiquer votre nom et la raison de votre appel.']],
  },
  it: {
    human: [['Pronto?'], ['Sì?'], ['Pronto, chi parla?']],
    voicemail: [['Questa è la segreteria telefonica di Marco.', 300, 'Lasciate un messaggio dopo il segnale.']],
    ivr: [['Benvenuti nella nostra banca.', 300, 'Per il saldo, premere uno.']],
    screening: [['Dica il suo nome e il motivo della chiamata.']],
  },
  pt: {
    human: [['Alô?'], ['Sim?'], ['Alô, quem fala?']],
    voicemail: [['Você ligou para a casa da Ana.', 300, 'Deixe sua mensagem após o sinal.']],
    ivr: [['Bem-vindo ao banco.', 300, 'Para saber o seu saldo, digite um.']],
    screening: [['Diga o seu nome e o motivo da ligação.']],
  },
};

const espeak = (voice: string, speed: number, language = voice.slice(0, 2)): Speaker => ({
  name: `espeak-ng ${voice} ${speed}`,
  language,
  say: (text, folder) => spoken('espeak-ng', ['-b', '1', '-v', voice, '-s', String(speed), '-w'], [text], folder),
});
const flite = (voice: string): Speaker => ({
  name: `flite ${voice}`,
  language: 'en',
  say: (text, folder) => spoken('flite', ['-voice', voice, '-t', text, '-o'], [], folder),
});
const formant: Speaker = { name: 'formant', language: 'en', say: (text) => new FormantVoice().speak(text) };

const TUNING_SPEAKERS = [formant, espeak('en-us', 160), espeak('en-gb+m7', 135), espeak('de', 160), flite('slt')];
const TEST_SPEAKERS = [
  ...[espeak('en-us+f3', 190), espeak('en-gb+f5', 165), espeak('de+f2', 150), espeak('es+m3', 165)],
  ...[espeak('fr-fr+f4', 160), espeak('it', 170), espeak('pt+m4', 160), flite('rms'), flite('awb')],
];

/** Prompts of Asterisk, spoken by persons: for the test only. */
const PROMPTS = '/usr/share/asterisk/sounds';
const RECORDED: [Kind, readonly string[], string][] = [
  ['human', ['hello'], 'hello'],
  ['voicemail', ['vm-nobodyavail', 'vm-intro'], 'nobody is available please leave your message after the tone'],
  ['voicemail', ['vm-intro'], 'please leave your message after the tone'],
  ['ivr', ['demo-instruct'], 'if you would like to hear the rules press one'],
  ['ivr', ['ss-noservice'], 'the number you have dialed is not in service'],
  ['ivr', ['conf-usermenu'], 'please press one to mute or unmute yourself'],
];

export interface Corpus {
  utterances: Utterance[];
  missing: string[];
}

export async function loadCorpus(isTuning: boolean): Promise<Corpus> {
  const folder = await mkdtemp(join(tmpdir(), 'answering-machine-'));
  const corpus: Corpus = { utterances: [], missing: [] };
  try {
    for (const speaker of isTuning ? TUNING_SPEAKERS : TEST_SPEAKERS)
      await addSpeaker(corpus, speaker, folder, isTuning);
    if (!isTuning) for (const name of ['en_US_f_Allison', 'fr_CA_f_June']) await addRecorded(corpus, name);
    return corpus;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function addSpeaker(corpus: Corpus, speaker: Speaker, folder: string, isTuning: boolean): Promise<void> {
  const scripts = (isTuning ? TUNING : TEST)[speaker.language];
  if (!scripts) return;
  const added: Utterance[] = [];
  try {
    for (const [kind, list] of Object.entries(scripts) as [Kind, readonly Script[]][]) {
      for (const script of list) {
        const parts: Int16Array[] = [];
        for (const part of script)
          parts.push(typeof part === 'number' ? silence(part) : trim(await speaker.say(part, folder)));
        const text = script.filter((part) => typeof part === 'string').join(' ');
        added.push({ kind, speaker: speaker.name, samples: joined(parts), text });
      }
    }
    corpus.utterances.push(...added);
  } catch {
    corpus.missing.push(speaker.name);
  }
}

async function addRecorded(corpus: Corpus, speaker: string): Promise<void> {
  try {
    for (const [kind, files, text] of RECORDED) {
      const parts: Int16Array[] = [];
      for (const file of files) parts.push(trim(await clip(join(PROMPTS, speaker, `${file}.wav`))), silence(250));
      corpus.utterances.push({ kind, speaker, samples: joined(parts), text });
    }
  } catch {
    corpus.missing.push(speaker);
  }
}

async function spoken(command: string, args: string[], last: string[], folder: string): Promise<Int16Array> {
  const file = join(folder, 'spoken.wav');
  await promisify(execFile)(command, [...args, file, ...last]);
  return clip(file);
}

async function clip(file: string): Promise<Int16Array> {
  const { samples, rate } = readWav(await readFile(file));
  return resample(samples, rate);
}

export const silence = (ms: number): Int16Array => new Int16Array(ms * 8);

export function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

const LOUD = 300;

function trim(sound: Int16Array): Int16Array {
  const isLoud = (sample: number): boolean => Math.abs(sample) > LOUD;
  return sound.slice(Math.max(0, sound.findIndex(isLoud)), sound.findLastIndex(isLoud) + 1);
}
