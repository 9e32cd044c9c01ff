import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallRoom, JoinRoom, RoomListener } from '@app/telephony';
import {
  CreateRoomRequest,
  CreateSIPParticipantRequest,
  DeleteRoomRequest,
  DeleteRoomResponse,
  ListSIPOutboundTrunkRequest,
  ListSIPOutboundTrunkResponse,
  Room,
  SIPParticipantInfo,
  TransferSIPParticipantRequest,
} from '@livekit/protocol';
import { type ClaimGrants, TokenVerifier } from 'livekit-server-sdk';
import type { CalledPhone } from './engine-behaviour.js';

/** An error response of the API. */
class TwirpProblem extends Error {
  constructor(
    readonly code: keyof typeof HTTP_STATUS,
    message: string,
    readonly meta: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The used codes of Twirp. */
const HTTP_STATUS = {
  canceled: 408,
  invalid_argument: 400,
  deadline_exceeded: 408,
  not_found: 404,
  permission_denied: 403,
  unauthenticated: 401,
  resource_exhausted: 429,
  failed_precondition: 412,
  internal: 500,
} as const;

/** The code of LiveKit's protocol library for a SIP status; others are invalid_argument here. */
const CODE_OF_SIP: Record<number, keyof typeof HTTP_STATUS> = {
  403: 'permission_denied',
  404: 'not_found',
  480: 'resource_exhausted',
  486: 'resource_exhausted',
  500: 'failed_precondition',
  503: 'failed_precondition',
  600: 'resource_exhausted',
  603: 'permission_denied',
};

const sipProblem = (status: number, reason: string): TwirpProblem =>
  new TwirpProblem(CODE_OF_SIP[status] ?? 'invalid_argument', `sip status ${status}: ${reason}`, {
    sip_status_code: String(status),
    sip_status: reason,
  });

interface EmulatedRoom {
  request: CreateRoomRequest;
  listener?: RoomListener;
  phone?: EmulatedPhone;
}

/** A phone called by the emulated server, and its participant. */
export class EmulatedPhone implements CalledPhone {
  readonly gone: Promise<void>;
  readonly answered: Promise<void>;
  /** All audio that the room sent to it. */
  readonly heard: Int16Array[] = [];
  /** Received keys. */
  readonly keys: string[] = [];
  private tellGone!: () => void;
  private tellAnswered!: () => void;
  private refuse!: (problem: TwirpProblem) => void;
  private left = false;

  constructor(
    readonly request: CreateSIPParticipantRequest,
    readonly room: EmulatedRoom,
  ) {
    this.gone = new Promise((resolve) => (this.tellGone = resolve));
    this.answered = new Promise((resolve, reject) => {
      this.tellAnswered = resolve;
      this.refuse = reject;
    });
    this.status('dialing');
  }

  ring(): void {
    this.status('ringing');
  }

  answer(): void {
    this.status('active');
    this.tellAnswered();
  }

  reject(status: number, reason: string): void {
    this.refuse(sipProblem(status, reason));
    this.leave(status === 480 ? 11 : 12);
  }

  /** The response of the API is lost, or has no reason. */
  fail(problem: { code: keyof typeof HTTP_STATUS; message: string }): void {
    this.refuse(new TwirpProblem(problem.code, problem.message));
  }

  hangup(): void {
    this.status('hangup');
    this.leave(1);
  }

  press(digit: string): void {
    this.room.listener?.onDigit(digit);
  }

  say(samples: Int16Array): void {
    this.room.listener?.onAudio(samples);
  }

  /** The room was deleted. */
  end(): void {
    this.refuse(new TwirpProblem('canceled', 'call cancelled'));
    this.left = true;
    this.tellGone();
  }

  private status(status: string): void {
    this.room.listener?.onCallStatus(this.request.participantIdentity, status);
  }

  leave(reason: number): void {
    if (this.left) return;
    this.left = true;
    this.room.listener?.onLeft(this.request.participantIdentity, reason);
  }
}

/** The part of a LiveKit server that the engine uses: HTTP API and rooms in memory, with checks of tokens and bodies. */
export class EmulatedLiveKit {
  readonly access: { url: string; apiKey: string; apiSecret: string };
  readonly rooms = new Map<string, EmulatedRoom>();
  readonly phones: EmulatedPhone[] = [];
  /** Names of deleted rooms. */
  readonly deleted: string[] = [];
  /** Ids of the outbound trunks. */
  readonly trunks: string[] = [];
  /** The status of the remote party for a transfer; 200 when absent. */
  transferStatus = 200;
  readonly transfers: TransferSIPParticipantRequest[] = [];
  /** Fails this many requests to these methods. */
  readonly failing = new Map<string, number>();
  private phone: (call: EmulatedPhone) => void = () => undefined;
  private readonly verifier: TokenVerifier;

  private constructor(private readonly server: Server) {
    const { port } = server.address() as AddressInfo;
    this.access = {
      url: `http://127.0.0.1:${port}`,
      apiKey: 'APIemulated',
      apiSecret: 'a secret of the emulated server',
    };
    this.verifier = new TokenVerifier(this.access.apiKey, this.access.apiSecret);
  }

  static async start(): Promise<EmulatedLiveKit> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const emulated = new EmulatedLiveKit(server);
    server.on('request', (request, response) => void emulated.serve(request, response));
    return emulated;
  }

  onCall(phone: (call: EmulatedPhone) => void): void {
    this.phone = phone;
  }

  async close(): Promise<void> {
    for (const phone of this.phones) phone.end();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Joins a room of this server with a valid token, like the WebRTC library. */
  readonly join: JoinRoom = async ({ url, token }, listener) => {
    if (url !== this.access.url.replace('http', 'ws')) throw new Error(`joined at ${url}`);
    const { video, sip } = await this.verifier.verify(token);
    const room = this.rooms.get(video?.room ?? '');
    if (!room || !video?.roomJoin) throw new Error('no such room, or not allowed to join');
    const more = [video.roomCreate, video.roomAdmin, video.roomList, video.roomRecord, video.hidden, sip];
    if (more.some(Boolean)) throw new Error('the token of an agent allows more than to take part');
    room.listener = listener;
    return roomInMemory(room);
  };

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    try {
      answer(200, await this.carryOut(request));
    } catch (error) {
      const { code, message, meta } =
        error instanceof TwirpProblem ? error : new TwirpProblem('internal', String(error));
      answer(HTTP_STATUS[code], { code, msg: message, meta });
    }
  }

  private async carryOut(request: IncomingMessage): Promise<unknown> {
    const [, service, method = ''] = /^\/twirp\/livekit\.(\w+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const grants = await this.grantsOf(request);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as object;
    this.failAsAsked(method);
    const run = this.methods[`${service}.${method}`];
    if (!run) throw new TwirpProblem('not_found', `no method ${service}.${method}`);
    return run(body, grants);
  }

  private failAsAsked(method: string): void {
    const left = this.failing.get(method) ?? 0;
    if (left === 0) return;
    this.failing.set(method, left - 1);
    throw new TwirpProblem('internal', 'out of order');
  }

  private async grantsOf({ headers }: IncomingMessage): Promise<ClaimGrants> {
    try {
      return await this.verifier.verify(String(headers.authorization).replace(/^Bearer /, ''));
    } catch {
      throw new TwirpProblem('unauthenticated', 'invalid token');
    }
  }

  /** Bodies are parsed by the classes of the protocol: an unknown field is an error. */
  private readonly methods: Record<string, (body: object, grants: ClaimGrants) => unknown> = {
    'RoomService.CreateRoom': (body, grants) => {
      allowed(grants.video?.roomCreate);
      const request = CreateRoomRequest.fromJson(body as never);
      if (this.rooms.has(request.name)) throw new TwirpProblem('invalid_argument', 'the room is there');
      this.rooms.set(request.name, { request });
      return new Room({ name: request.name }).toJson();
    },
    'RoomService.DeleteRoom': (body, grants) => {
      allowed(grants.video?.roomCreate);
      const { room: name } = DeleteRoomRequest.fromJson(body as never);
      const room = this.rooms.get(name);
      if (!room) throw new TwirpProblem('not_found', 'no such room');
      this.rooms.delete(name);
      this.deleted.push(name);
      room.phone?.end();
      return new DeleteRoomResponse().toJson();
    },
    'SIP.CreateSIPParticipant': (body, grants) => {
      allowed(grants.sip?.call);
      return this.call(CreateSIPParticipantRequest.fromJson(body as never));
    },
    'SIP.TransferSIPParticipant': (body, grants) => {
      const request = TransferSIPParticipantRequest.fromJson(body as never);
      allowed(grants.sip?.call && grants.video?.roomAdmin && grants.video.room === request.roomName);
      this.transfers.push(request);
      if (this.transferStatus !== 200) throw sipProblem(this.transferStatus, 'Not Today');
      // LiveKit hangs up a second after the transfer when the remote party does not.
      setImmediate(() => this.rooms.get(request.roomName)?.phone?.leave(1));
      return {};
    },
    'SIP.ListSIPOutboundTrunk': (body, grants) => {
      allowed(grants.sip?.admin);
      const { trunkIds } = ListSIPOutboundTrunkRequest.fromJson(body as never);
      const items = this.trunks.filter((id) => trunkIds.length === 0 || trunkIds.includes(id));
      return new ListSIPOutboundTrunkResponse({ items: items.map((sipTrunkId) => ({ sipTrunkId })) }).toJson();
    },
  };

  private async call(request: CreateSIPParticipantRequest): Promise<unknown> {
    const room = this.rooms.get(request.roomName);
    if (!room) throw new TwirpProblem('not_found', 'no such room');
    if (request.sipCallTo === '') throw new TwirpProblem('invalid_argument', 'nobody to call');
    if (request.sipTrunkId === '' && !request.trunk) throw new TwirpProblem('invalid_argument', 'no trunk');
    if (request.sipTrunkId !== '' && !this.trunks.includes(request.sipTrunkId))
      throw new TwirpProblem('not_found', 'no such trunk');
    const phone = new EmulatedPhone(request, room);
    room.phone = phone;
    this.phones.push(phone);
    phone.answered.catch(() => undefined);
    this.phone(phone);
    if (request.waitUntilAnswered) await phone.answered;
    return new SIPParticipantInfo({
      participantIdentity: request.participantIdentity,
      roomName: request.roomName,
      sipCallId: `SCL_${this.phones.length}`,
    }).toJson();
  }
}

function allowed(granted: boolean | undefined): void {
  if (!granted) throw new TwirpProblem('permission_denied', 'permissions denied');
}

/** A queue that is sent in real time, like that of an audio source. */
function roomInMemory(room: EmulatedRoom): CallRoom {
  let emptyAt = 0;
  return {
    send: (samples) => {
      emptyAt = Math.max(emptyAt, performance.now()) + samples.length / 8;
      room.phone?.heard.push(samples);
    },
    get queuedMs() {
      return Math.max(0, emptyAt - performance.now());
    },
    clearQueue: () => (emptyAt = 0),
    sendDigit: async (_, digit) => void room.phone?.keys.push(digit),
    leave: async () => void (room.listener = undefined),
  };
}
