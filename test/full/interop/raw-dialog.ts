import { buildOffer } from '@app/telephony';
import { headerOf, type RawSipPeer } from './raw-sip-peer.js';

/** PCMU at 127.0.0.1:40100. */
export const PEER_SDP = buildOffer({ address: '127.0.0.1', port: 40_100, codecs: ['PCMU'] });

export function contactOf(peer: RawSipPeer): string {
  return `Contact: <sip:peer@127.0.0.1:${peer.port}>`;
}

export interface InDialogOptions {
  /** The peer's tag. */
  tag?: string;
  headers?: string[];
  body?: string;
  type?: string;
}

/** A request of the peer inside the dialog of the received `invite`. */
export function inDialog(
  peer: RawSipPeer,
  invite: string,
  method: string,
  cseq: number,
  { tag = 'peer', headers = [], body = '', type = 'application/sdp' }: InDialogOptions = {},
): string {
  return [
    `${method} ${/<(.*)>/.exec(headerOf(invite, 'Contact'))?.[1]} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK${tag}${method}${cseq}`,
    `From: ${headerOf(invite, 'To')};tag=${tag}`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    `CSeq: ${cseq} ${method}`,
    ...headers,
    ...(body === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
