import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { encode } from '@app/telephony';
import { NoSpeechProgram } from '../../../speech/program-voice.js';
import type { Speech } from '../../../speech/speech.js';
import { ProviderUnavailable } from '../../voice-provider.js';
import { lacks } from '../../provider-settings.js';
import type { SynthesizerKind } from '../leg-registry.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { SynthesisEvent, SynthesisRequest, Synthesizer } from '../ports.js';
import { bytesOf } from './sentence-audio.js';

const NAMES = ['piper', 'espeak-ng', 'flite'];
/** Voices are names in the program, never files or addresses. */
const VOICE = /^[A-Za-z0-9][\w+-]{0,40}$/;
/** The audio of one event. */
const PIECE_MS = 200;

/** The speech programs of this machine, without a vendor and without cost. */
export const program: SynthesizerKind = {
  problem: ({ model, voice }, { settings }) => {
    if (model !== undefined && !NAMES.includes(model))
      return { message: `The synthesizer "program" has no program "${model}"; it knows ${NAMES.join(', ')}.` };
    if (voice !== undefined && !VOICE.test(voice)) return { message: `"${voice}" is no name of a voice.` };
    if (model === 'piper' && !settings.piperModel)
      return lacks('PIPER_MODEL', 'The program piper needs a voice file in PIPER_MODEL.');
    const wanted = model === undefined ? NAMES.filter((name) => name !== 'piper' || settings.piperModel) : [model];
    const { programs } = settings;
    if (wanted.some((name) => (programs ? programs.includes(name) : isInstalled(name)))) return undefined;
    return { message: `Install ${wanted.join(' or ')} for the synthesizer "program".` };
  },
  open: (choice, { settings, speech }) => new ProgramSynthesizer(choice, speech, settings.piperModel),
};

/** The speech programs that this machine has. */
export const installedPrograms = (): string[] => NAMES.filter(isInstalled);

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .some((folder) => isExecutable(join(folder, name)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Each sentence is one run of a program, which an abort ends. */
class ProgramSynthesizer implements Synthesizer {
  readonly name: string;

  constructor(
    private readonly choice: SynthesizerChoice,
    private readonly speech: Speech,
    private readonly piperModel: string | undefined,
  ) {
    this.name = choice.model === undefined ? 'program' : `program:${choice.model}`;
  }

  async *speak(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<SynthesisEvent> {
    if (signal.aborted) return;
    let samples: Int16Array;
    try {
      samples = await this.recorded(request, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof NoSpeechProgram ? new ProviderUnavailable(error.message) : error;
    }
    const { codec, rate } = request.audio;
    const perPiece = (rate * PIECE_MS) / 1_000;
    for (let at = 0; at < samples.length; at += perPiece) {
      if (signal.aborted) return;
      const piece = samples.subarray(at, at + perPiece);
      yield { type: 'audio', audio: codec === 'L16' ? bytesOf(piece) : encode(codec, piece) };
    }
  }

  private recorded({ text, language, audio }: SynthesisRequest, signal: AbortSignal): Promise<Int16Array> {
    const { model: program, voice, speed } = this.choice;
    const { rate } = audio;
    const request = { sentence: text, language, program, voice, speed, rate, piperModel: this.piperModel };
    return this.speech.program(request, signal);
  }
}
