import {
  type GenerationEvent,
  type GenerationRequest,
  type LanguageModel,
  type LegParts,
  type ModelKind,
  type ModelParts,
  openModel,
  openSynthesizer,
  openTranscriber,
  ProviderUnavailable,
  type SynthesisEvent,
  type SynthesisRequest,
  type Synthesizer,
  type SynthesizerKind,
  type Transcriber,
  type TranscriberEvent,
  type TranscriberKind,
  type TranscriberStream,
  type TranscriptionRequest,
} from '@app/voice';
import { playedRole, playRole } from '../provider/script-registration.js';

const NAME = 'sandbox';

/** The legs of an agent without keys: the adapters of three vendors, which the sandbox server plays. */
const PLAYED = { url: 'sandbox', isSandbox: true } as const;

/** The vendors' legs for one role; `model` stands for the role. */
class Played<Leg, Parts extends ModelParts = LegParts> {
  private readonly legs = new Map<string, Promise<Leg>>();

  constructor(
    private readonly parts: Parts,
    private readonly open: (model: string, parts: Parts) => Promise<Leg>,
  ) {}

  /** Rejects with ProviderUnavailable when the role cannot be played. */
  async with<Result>(signal: AbortSignal, use: (leg: Leg) => Promise<Result>): Promise<Result> {
    const { settings, script, role } = this.parts;
    if (!settings.sandbox) throw new ProviderUnavailable('The sandbox server does not run here.');
    const agent = role?.agent ?? { name: '', instructions: '', greeting: '' };
    const played = playedRole(script, { agent, metadata: role?.metadata });
    return playRole(settings.sandbox, played, signal, async (model) => use(await this.leg(model)));
  }

  private leg(model: string): Promise<Leg> {
    const known = this.legs.get(model);
    if (known) return known;
    const { settings } = this.parts;
    const vendors = { deepgram: PLAYED, compatible: PLAYED, elevenlabs: PLAYED };
    const opened = this.open(model, { ...this.parts, settings: { ...settings, vendors } });
    this.legs.set(model, opened);
    return opened;
  }

  close(end: (leg: Leg) => void): void {
    for (const leg of this.legs.values()) void leg.then(end, () => undefined);
  }
}

type Event = GenerationEvent | SynthesisEvent | TranscriberEvent;

/** The sandbox charges under its own name. */
const ownUsage = <T extends Event>(event: T): T =>
  event.type === 'usage' ? { ...event, items: event.items.map((item) => ({ ...item, source: NAME })) } : event;

/** Begins a stream; its first event shows whether the server knows the role. */
async function* played<Leg, Result extends Event>(
  legs: Pick<Played<Leg, never>, 'with'>,
  signal: AbortSignal,
  begin: (leg: Leg) => AsyncIterable<Result>,
): AsyncGenerator<Result> {
  const stream = await legs.with(signal, async (leg) => {
    const events = begin(leg)[Symbol.asyncIterator]();
    return { events, first: await events.next() };
  });
  try {
    for (let next = stream.first; !next.done; next = await stream.events.next()) yield ownUsage(next.value);
  } finally {
    await stream.events.return?.();
  }
}

class SandboxTranscriber implements Transcriber {
  readonly name = NAME;

  constructor(private readonly legs: Played<Transcriber>) {}

  open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream> {
    return this.legs.with(signal, (leg) => leg.open(request, (event) => onEvent(ownUsage(event)), signal));
  }
}

class SandboxModel implements LanguageModel {
  readonly name = NAME;

  constructor(private readonly legs: Played<LanguageModel, ModelParts>) {}

  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent> {
    return played(this.legs, signal, (leg) => leg.generate(request, signal));
  }
}

class SandboxSynthesizer implements Synthesizer {
  readonly name = NAME;

  constructor(private readonly legs: Played<Synthesizer>) {}

  speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent> {
    return played(this.legs, signal, (leg) => leg.speak(request, signal));
  }

  close(): void {
    this.legs.close((leg) => leg.close?.());
  }
}

/** The script is checked when the conversation begins, because only the agent has it. */
const noProblem = (): undefined => undefined;

const transcriber: TranscriberKind = {
  problem: noProblem,
  open: (choice, parts) =>
    new SandboxTranscriber(
      new Played(parts, (model, own) => openTranscriber({ ...choice, provider: 'deepgram', model }, own)),
    ),
};

const model: ModelKind = {
  problem: noProblem,
  open: (choice, parts) =>
    new SandboxModel(
      new Played(parts, (name, own) => openModel({ ...choice, provider: 'openai-compatible', model: name }, own)),
    ),
};

const synthesizer: SynthesizerKind = {
  problem: noProblem,
  open: (choice, parts) =>
    new SandboxSynthesizer(
      new Played(parts, (name, own) => openSynthesizer({ ...choice, provider: 'elevenlabs', model: name }, own)),
    ),
};

export const sandboxLegs = { transcriber, model, synthesizer };
