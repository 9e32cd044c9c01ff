import { noteIn, resultIn, type Speech, systemTextIn, wordsToSay, YOUR_TURN } from '@app/voice';
import { LRUCache } from 'lru-cache';
import { type ClientConnection, TokenCount } from './conversation-items.js';
import { ConnectionFaults, type Fault, type TimedFault } from './faults.js';
import {
  type GeminiClientContent,
  type GeminiRealtimeInput,
  type GeminiServerMessage,
  type GeminiSetup,
  type GeminiToolResponse,
  InvalidMessage,
  readGeminiMessage,
  textOf,
} from './gemini-messages.js';
import { type FunctionCalled, GeminiTurn } from './gemini-turn.js';
import { asMuLaw, type HeardEvent, Utterances } from './input-audio.js';
import { newId } from './response-run.js';
import type { ScriptCache } from './script.js';
import { ScriptedAgent } from './scripted-agent.js';

const SILENCE_MS = 700;
const RATE = 16_000;
const FRAME_BYTES = 640;
/** Between the notice and the end of an expired connection. */
const GO_AWAY_MS = 3_000;
const INVALID_ARGUMENT = 1007;
const POLICY = 1008;
const INTERNAL = 1011;
/** The longest reason of a close frame. */
const MAX_REASON_LENGTH = 123;

/** Sessions that another connection may resume. */
export class GeminiSessions {
  private readonly kept = new LRUCache<string, GeminiState>({ max: 1_000 });

  keep(state: GeminiState): string {
    const handle = newId('session');
    this.kept.set(handle, state);
    return handle;
  }

  get(handle: string): GeminiState | undefined {
    return this.kept.get(handle);
  }
}

/** The part of a conversation that outlives its connection. */
interface GeminiState {
  agent: ScriptedAgent;
  tokens: TokenCount;
  setup: { instructions: string; tools: string[] };
}

interface GeminiOptions {
  speech: Speech;
  scripts: ScriptCache;
  sessions: GeminiSessions;
  /** The client has the right key. */
  isKnown: boolean;
  ownFaults: readonly Fault[];
}

/** One client's conversation with a scripted agent, in the Live protocol of Gemini (BidiGenerateContent). */
export class GeminiConversation {
  private setup: GeminiSetup | undefined;
  private state!: GeminiState;
  private faults: ConnectionFaults | undefined;
  private language: string | undefined;
  private turn: GeminiTurn | undefined;
  private readonly calls = new Map<string, FunctionCalled>();
  private utterances = new Utterances('PCMU', SILENCE_MS);
  private rest: Buffer = Buffer.alloc(0);
  /** Audio since the client marked the start of its activity. */
  private activityMs: number | undefined;
  private readsHistory = false;
  private ending: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly connection: ClientConnection,
    private readonly options: GeminiOptions,
  ) {}

  /** The client speaks first. */
  begin(): void {
    if (!this.options.isKnown) this.refuse(INVALID_ARGUMENT, 'API key not valid. Please pass a valid API key.');
  }

  /** A message of the client. */
  receive(json: string): void {
    if (this.closed) return;
    try {
      const message = readGeminiMessage(json);
      if ('setup' in message !== (this.setup === undefined))
        throw new InvalidMessage('setup must be the first message and only the first.');
      if ('setup' in message) this.start(message.setup);
      else if ('clientContent' in message) this.contentAdded(message.clientContent);
      else if ('realtimeInput' in message) this.heard(message.realtimeInput);
      else if ('toolResponse' in message) this.toolsAnswered(message.toolResponse);
      else if (message.contextUpdate.systemInstruction)
        this.state.setup.instructions = textOf(message.contextUpdate.systemInstruction);
    } catch (error) {
      if (!(error instanceof InvalidMessage)) throw error;
      this.refuse(INVALID_ARGUMENT, error.message);
    }
  }

  /** The connection is gone. */
  close(): void {
    this.closed = true;
    clearTimeout(this.ending);
    this.faults?.close();
    this.turn?.stop();
  }

  private start(setup: GeminiSetup): void {
    const { scripts, sessions, ownFaults } = this.options;
    const model = setup.model.replace(/^.*\//, '');
    const opened = scripts.open(model);
    if (!opened)
      return this.refuse(
        POLICY,
        `models/${model} is not found for API version v1beta, or is not supported for bidiGenerateContent.`,
      );
    const { script, connection } = opened;
    const faults = [...script.faults, ...ownFaults];
    const refused = faults.find((fault) => fault.do === 'refuse' && connection <= (fault.connections ?? Infinity));
    if (refused?.do === 'refuse') return this.refuse(...refusalOf(refused.status));
    const { handle } = setup.sessionResumption ?? {};
    const resumed = handle === undefined ? undefined : sessions.get(handle);
    if (handle !== undefined && !resumed) return this.refuse(POLICY, 'BidiGenerateContent session not found.');
    const instructions = textOf(setup.systemInstruction);
    const tools = (setup.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name));
    const own = { instructions, tools };
    // A resumed session has the instructions and the functions of its new set-up.
    if (resumed) Object.assign(resumed.setup, own);
    this.state = resumed ?? { agent: new ScriptedAgent(script, () => own), tokens: new TokenCount(), setup: own };
    this.setup = setup;
    this.language = script.agent.language ?? languageOf(setup);
    this.readsHistory = setup.historyConfig?.initialHistoryInClientContent ?? false;
    const silenceMs = setup.realtimeInputConfig?.automaticActivityDetection?.silenceDurationMs ?? SILENCE_MS;
    this.utterances = new Utterances('PCMU', silenceMs);
    this.faults = new ConnectionFaults(faults, connection, (fault) => this.fail(fault));
    this.faults.begin();
    this.send({ setupComplete: {} });
  }

  private contentAdded({ turns = [], turnComplete }: GeminiClientContent): void {
    if (!this.readsHistory) this.interrupt();
    let say: string | undefined;
    for (const turn of turns) {
      if (turn.role === 'model') this.state.agent.continueConversation();
      else say = this.read(textOf(turn)) ?? say;
    }
    if (this.readsHistory) this.readsHistory = !turnComplete;
    else if (turnComplete) this.respond(say);
  }

  private heard(input: GeminiRealtimeInput): void {
    const { audio, mediaChunks = [], text, audioStreamEnd, activityStart, activityEnd } = input;
    for (const blob of [...(audio ? [audio] : []), ...mediaChunks]) this.audioHeard(blob);
    if (activityStart ?? activityEnd) this.requireExplicitActivity();
    if (activityStart) {
      this.activityMs = 0;
      this.interruptBySpeech();
    }
    if (activityEnd && this.activityMs !== undefined) this.spoken(this.activityMs);
    if (audioStreamEnd) this.utterances = new Utterances('PCMU', SILENCE_MS);
    if (text !== undefined) {
      this.interrupt();
      this.respond(this.read(text));
    }
  }

  private audioHeard({ data, mimeType }: { data: string; mimeType: string }): void {
    if (!/^audio\/(?:pcm|l16)(?:;\s*rate=16000)?$/i.test(mimeType))
      throw new InvalidMessage(`The sandbox takes audio/pcm;rate=16000, not ${mimeType}.`);
    const bytes = Buffer.concat([this.rest, Buffer.from(data, 'base64')]);
    const whole = bytes.length - (bytes.length % FRAME_BYTES);
    this.rest = bytes.subarray(whole);
    for (let at = 0; at < whole; at += FRAME_BYTES)
      this.frameHeard(asMuLaw(bytes.subarray(at, at + FRAME_BYTES), RATE));
  }

  private frameHeard(frame: Buffer): void {
    if (this.activityMs !== undefined) this.activityMs += 20;
    const event = this.utterances.push(frame);
    if (event && !this.hasExplicitActivity) this.activity(event);
  }

  private activity(event: HeardEvent): void {
    if (event.type === 'speech-start') this.interruptBySpeech();
    else this.spoken(event.spokenMs, event.words);
  }

  private spoken(ms: number, words = this.utterances.words): void {
    this.activityMs = undefined;
    this.state.tokens.heardAudio(ms);
    if (words === undefined) this.state.agent.hearSpeech(ms / 1_000);
    else this.state.agent.hearText(words);
    if (words !== undefined && this.setup?.inputAudioTranscription)
      this.send({ serverContent: { inputTranscription: { text: words } } });
    this.interruptBySpeech();
    this.respond();
  }

  private get hasExplicitActivity(): boolean {
    return this.setup?.realtimeInputConfig?.automaticActivityDetection?.disabled ?? false;
  }

  private requireExplicitActivity(): void {
    if (this.hasExplicitActivity) return;
    throw new InvalidMessage(
      'Explicit activity control is not supported when automatic activity detection is enabled.',
    );
  }

  /** Takes the lines of a text of the user. Returns exact words that are to be said. */
  private read(text: string): string | undefined {
    const { agent, tokens } = this.state;
    tokens.heardText(text);
    const own: string[] = [];
    let say: string | undefined;
    for (const line of text.split('\n')) {
      const note = systemTextIn(line);
      const result = note === undefined ? undefined : resultIn(note);
      if (result) agent.takeToolResult('', result.tool, result.output);
      if (note !== undefined) agent.takeOver(note);
      const injected = note === undefined ? undefined : noteIn(note);
      if (injected !== undefined) agent.takeNote(injected);
      const words = wordsToSay(line);
      if (words !== undefined) say = words;
      else if (note === undefined && line !== YOUR_TURN) own.push(line);
    }
    if (own.length > 0 && own.join('').trim() !== '') agent.hearText(own.join('\n'));
    return say;
  }

  private toolsAnswered({ functionResponses = [] }: GeminiToolResponse): void {
    const { agent, tokens } = this.state;
    let say: string | undefined;
    for (const { id, name, response } of functionResponses) {
      const call = [...this.calls.values()].find((one) => (id === undefined ? one.name === name : one.id === id));
      // The result of a cancelled call.
      if (!call) continue;
      this.calls.delete(call.id);
      const output = JSON.stringify('output' in response ? response.output : response);
      tokens.heardText(output);
      agent.takeToolResult(call.id, call.name, output);
      if (typeof response['instruction'] === 'string') say = wordsToSay(response['instruction']) ?? say;
    }
    if (functionResponses.length > 0 && this.calls.size === 0) this.respond(say);
  }

  private interruptBySpeech(): void {
    if (this.setup?.realtimeInputConfig?.activityHandling !== 'NO_INTERRUPTION') this.interrupt();
  }

  private interrupt(): void {
    if (this.calls.size > 0) {
      this.send({ toolCallCancellation: { ids: [...this.calls.keys()] } });
      this.calls.clear();
    }
    const { turn } = this;
    if (!turn) return;
    this.turn = undefined;
    turn.stop();
    this.state.agent.noteInterruption();
    this.send({ serverContent: { interrupted: true } });
    this.send({ serverContent: { turnComplete: true } });
    this.ended();
  }

  private respond(words?: string): void {
    const { state, faults, turn: before } = this;
    if (!faults || before) return this.respondAfter(words);
    const { speech } = this.options;
    const modality = this.setup?.generationConfig?.responseModalities?.[0] ?? 'AUDIO';
    const transcribes = this.setup?.outputAudioTranscription !== undefined;
    const send = (message: GeminiServerMessage): void => this.send(message);
    const parts = { send, connection: this.connection, speech, tokens: state.tokens, faults };
    const turn = new GeminiTurn({ modality, language: this.language, transcribes }, parts);
    this.turn = turn;
    void this.play(turn, words);
  }

  /** Without interruption, speech is answered after the current turn. */
  private waiting: (string | undefined)[] = [];

  private respondAfter(words: string | undefined): void {
    this.waiting = [words];
  }

  private async play(turn: GeminiTurn, words: string | undefined): Promise<void> {
    const { agent } = this.state;
    try {
      const calls = await turn.run(agent.reply(words));
      for (const call of calls) {
        this.calls.set(call.id, call);
        agent.noteCall(call.id, call);
      }
    } catch (error) {
      this.refuse(INTERNAL, `Internal error encountered: ${String(error)}`);
    }
    this.faults?.responseDone();
    if (this.closed || this.turn !== turn) return;
    this.turn = undefined;
    this.ended();
    if (this.waiting.length > 0) this.respond(this.waiting.shift());
  }

  /** The state of the session may be resumed from here, unless functions are called. */
  private ended(): void {
    if (!this.setup?.sessionResumption) return;
    const resumable = this.calls.size === 0;
    const update = resumable ? { newHandle: this.options.sessions.keep(this.state), resumable } : { resumable };
    this.send({ sessionResumptionUpdate: update });
  }

  private fail(fault: TimedFault): void {
    switch (fault.do) {
      case 'disconnect':
        return this.connection.cut();
      case 'stall':
        return this.connection.stall();
      case 'garbage':
        return this.connection.sendRaw('{"serverContent":');
      case 'error':
        return this.refuse(INTERNAL, 'Internal error encountered.');
      case 'rate_limit':
        return this.refuse(INTERNAL, QUOTA);
      case 'expire':
        return this.goAway();
    }
  }

  private goAway(): void {
    this.send({ goAway: { timeLeft: `${GO_AWAY_MS / 1_000}s` } });
    this.ending = setTimeout(
      () => this.refuse(INTERNAL, 'Deadline expired before operation could complete.'),
      GO_AWAY_MS,
    );
  }

  private refuse(code: number, reason: string): void {
    this.closed = true;
    this.connection.close(code, Buffer.from(reason).subarray(0, MAX_REASON_LENGTH).toString());
  }

  private send(message: GeminiServerMessage): void {
    this.connection.sendRaw(JSON.stringify(message));
  }
}

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';

/** The service answers with close codes where others answer the handshake. */
function refusalOf(status: number): [number, string] {
  if (status === 401) return [INVALID_ARGUMENT, 'API key not valid. Please pass a valid API key.'];
  return status === 429 ? [INTERNAL, QUOTA] : [INTERNAL, 'The service is currently unavailable.'];
}

function languageOf({ generationConfig }: GeminiSetup): string | undefined {
  const code = generationConfig?.speechConfig?.languageCode;
  return typeof code === 'string' ? code : undefined;
}
