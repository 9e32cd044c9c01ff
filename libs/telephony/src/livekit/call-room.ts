/** Events of the room of a call. `identity` names the participant of a phone. */
export interface RoomListener {
  /** 16-bit samples of the far end, mono, 8 kHz, any number of them. */
  onAudio(samples: Int16Array): void;
  /** A key pressed at the far end. */
  onDigit(digit: string): void;
  /** `sip.callStatus`: dialing, ringing, automation, active, hangup. */
  onCallStatus(identity: string, status: string): void;
  /** `reason`: LiveKit's DisconnectReason by number, when the room knows it. */
  onLeft(identity: string, reason: number | undefined): void;
  /** Our connection to the room is lost permanently. */
  onLost(): void;
}

/** The room of one call, seen by a participant. */
export interface CallRoom {
  /** Queues 16-bit samples, mono, 8 kHz. The array is not copied: do not modify it afterwards. */
  send(samples: Int16Array): void;
  /** Queued audio that has not been sent. */
  readonly queuedMs: number;
  clearQueue(): void;
  /** `code`: the event of RFC 4733. */
  sendDigit(code: number, digit: string): Promise<void>;
  /** Never rejects. */
  leave(): Promise<void>;
}

interface RoomAccess {
  /** `wss://…` or `ws://…` */
  url: string;
  token: string;
}

/** Joins a room and publishes an audio track in it. Rejects when that does not work within some seconds. */
export type JoinRoom = (access: RoomAccess, listener: RoomListener) => Promise<CallRoom>;
