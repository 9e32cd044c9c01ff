/** `callee`: the phone hung up. `timeout`: our answer was never acknowledged. */
export type EndedBy = 'caller' | 'callee' | 'cancelled' | 'refused' | 'timeout';

/** What the phone knows about one call; it grows while the call goes on. Times are milliseconds since 1970. */
export interface PhoneCallRecord {
  readonly callId: string;
  /** The user part of the Request-URI, as it was dialled. */
  readonly requestUser: string;
  /** Undefined: nobody has that extension. */
  readonly extension: string | undefined;
  /** URI of the From header. */
  readonly from: string;
  readonly invitedAt: number;
  ringingAt?: number;
  answeredAt?: number;
  endedAt?: number;
  endedBy?: EndedBy;
  /** SIP status of a call that was refused. */
  status?: number;
  /** Keys heard (RFC 4733), in order. */
  digits: string;
  /** How long somebody spoke at the far end, by voice activity; brought up to date at the end of every utterance. */
  heardVoiceMs: number;
  /** When somebody first spoke at the far end, in milliseconds of audio since the answer; known when that utterance ends. */
  firstHeardMs?: number;
  /** When the mailbox had beeped to the end, on the same clock. */
  beepedMs?: number;
  /** Utterances of the far end. */
  heardUtterances: number;
  /** Names of the clips it has said to the end, and the digits it has pressed. */
  said: string[];
}
