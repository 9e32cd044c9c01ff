import { FRAME_MS } from '@app/telephony';

/** 20 ms of the remote party; the level in dB below full scale. */
interface Sound {
  isVoice: boolean;
  db: number;
}

/** A shorter silence is inside a word. */
const WITHIN_WORD_MS = 200;
/** A longer silence ends a turn. */
const BETWEEN_TURNS_MS = 900;
/** People use less speech and fewer words to announce themselves. */
const MAX_SPEECH_MS = 2_400;
const MAX_WORDS = 4;

/** The remote party's latest turn, frame by frame. */
export class RemoteTurn {
  voicedMs = 0;
  words = 0;
  /** Since the last voice. */
  silenceMs = 0;
  /** Before the turn. */
  silenceBeforeMs = 0;
  loudestDb = -100;

  push({ isVoice, db }: Sound): void {
    if (!isVoice) {
      this.silenceMs += FRAME_MS;
      return;
    }
    if (this.voicedMs === 0 || this.silenceMs >= BETWEEN_TURNS_MS) this.begin();
    else if (this.silenceMs >= WITHIN_WORD_MS) this.words++;
    this.voicedMs += FRAME_MS;
    this.silenceMs = 0;
    this.loudestDb = Math.max(this.loudestDb, db);
  }

  /** As short as the words of a person who picks up. */
  get isShort(): boolean {
    return this.voicedMs <= MAX_SPEECH_MS && this.words <= MAX_WORDS;
  }

  private begin(): void {
    Object.assign(this, { voicedMs: 0, words: 1, silenceBeforeMs: this.silenceMs, loudestDb: -100 });
  }
}

/** A click or a cough is shorter. */
const SPEECH_MS = 240;
/** Echoes of the agent end this long after it has stopped. */
const ECHO_MS = 200;
/** Speech after the agent has stopped, which is not an echo. */
const AFTER_ECHO_MS = 160;
const QUIET_MS = 700;
/** Without more speech, the agent continues. */
const MAX_HOLD_MS = 1_400;
/** Echoes are quieter than the party itself: everything in between may be either. */
const [AUDIBLE_BELOW_DB, CERTAIN_BELOW_DB] = [20, 8];
const QUIETEST_DB = -42;

/** `hold`: the agent pauses until the other steps. `machine`: more speech than a person says; the agent starts again later. */
type OverTalkStep = 'hold' | 'continue' | 'person' | 'machine';

/**
 * Judges speech over the agent's message: a person who picks up says a few words and waits, a machine goes on. The agent pauses meanwhile,
 * so that its echo ends and a person can be heard.
 */
export class OverTalk {
  private readonly turn = new RemoteTurn();
  /** Since the agent paused. */
  private heldMs: number | undefined;
  private voicedInHoldMs = 0;
  private longestSpeechMs = 0;

  /** `remoteDb`: the level of the greeting; undefined when there was none. */
  constructor(private readonly remoteDb: number | undefined) {}

  /** Takes 20 ms of the remote party. */
  push(sound: Sound): OverTalkStep | undefined {
    const isAudible = sound.db >= Math.max(QUIETEST_DB, (this.remoteDb ?? -Infinity) - AUDIBLE_BELOW_DB);
    this.turn.push({ ...sound, isVoice: sound.isVoice && isAudible });
    if (this.heldMs !== undefined) return this.judge(sound.isVoice && isAudible);
    const isSpeech = this.turn.voicedMs >= SPEECH_MS && this.turn.silenceMs < WITHIN_WORD_MS;
    if (!isSpeech || this.turn.voicedMs === this.longestSpeechMs) return undefined;
    this.heldMs = this.voicedInHoldMs = 0;
    return 'hold';
  }

  private judge(isVoice: boolean): OverTalkStep | undefined {
    const { turn } = this;
    this.heldMs = (this.heldMs ?? 0) + FRAME_MS;
    if (isVoice && this.heldMs > ECHO_MS) this.voicedInHoldMs += FRAME_MS;
    if (!turn.isShort) return this.end('machine');
    if (turn.silenceMs < QUIET_MS) return undefined;
    const isLoud = this.remoteDb !== undefined && turn.loudestDb >= this.remoteDb - CERTAIN_BELOW_DB;
    if (this.voicedInHoldMs >= AFTER_ECHO_MS || isLoud) return this.end('person');
    return this.heldMs >= MAX_HOLD_MS ? this.end('continue') : undefined;
  }

  private end(step: OverTalkStep): OverTalkStep {
    this.heldMs = undefined;
    this.longestSpeechMs = this.turn.voicedMs;
    return step;
  }
}
