/** Messages as carriers and phones send them, to be mutated. `CALLID`, `BRANCH` and `TAG` stand for what is different each time. */
const lines = (...all: string[]): string => all.join('\r\n');

export const SDP_EXAMPLE = lines(
  'v=0',
  'o=root 1821 1821 IN IP4 127.0.0.1',
  's=call',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 40100 RTP/AVP 8 0 9 101',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:9 G722/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-16',
  'a=ptime:20',
  'a=rtcp:40101',
  'a=sendrecv',
  '',
);

export const SDP_EXAMPLES = [
  SDP_EXAMPLE,
  SDP_EXAMPLE.replace('RTP/AVP', 'RTP/SAVP').replace(
    'a=ptime:20',
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20',
  ),
  SDP_EXAMPLE.replaceAll('IN IP4 127.0.0.1', 'IN IP6 ::1'),
  SDP_EXAMPLE.replace('c=IN IP4 127.0.0.1\r\n', '') +
    'c=IN IP4 127.0.0.1\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n',
  SDP_EXAMPLE.replace('a=sendrecv', 'a=inactive').replace('IN IP4 127.0.0.1', 'IN IP4 0.0.0.0'),
];

function request(method: string, headers: string[] = [], body = '', toTag = ''): string {
  return lines(
    `${method} sip:+15550002@127.0.0.1:5060;user=phone SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1:5080;branch=z9hG4bKBRANCH;rport',
    'Max-Forwards: 70',
    'From: "A. Caller" <sip:+15550001@127.0.0.1:5080>;tag=TAG',
    `To: <sip:+15550002@127.0.0.1>${toTag}`,
    'Call-ID: CALLID',
    `CSeq: 1 ${method}`,
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  );
}

const CONTACT = 'Contact: <sip:+15550001@127.0.0.1:5080;transport=udp>;expires=60';

export const REQUEST_EXAMPLES = [
  request(
    'INVITE',
    [CONTACT, 'Allow: INVITE, ACK, BYE', 'Supported: timer, 100rel', 'Session-Expires: 1800;refresher=uac'],
    SDP_EXAMPLE,
  ),
  request(
    'INVITE',
    [CONTACT, 'Require: 100rel', 'Record-Route: <sip:127.0.0.1;lr>, <sip:127.0.0.1:5090;lr>'],
    SDP_EXAMPLE,
  ),
  request('INVITE', [CONTACT, 'P-Asserted-Identity: <tel:+15550001>', 'X-Order: 17']),
  request('OPTIONS', [CONTACT, 'Accept: application/sdp']),
  request('REGISTER', [
    CONTACT,
    'Authorization: Digest username="a", realm="sip", nonce="n", uri="sip:x", response="0", qop=auth, nc=00000001, cnonce="c"',
  ]),
  request('CANCEL'),
  request('ACK', [], '', ';tag=other'),
  request('BYE', ['Reason: Q.850;cause=16;text="Normal"'], '', ';tag=other'),
  request('INFO', ['Content-Type: application/dtmf-relay'], '', ';tag=other'),
  request('NOTIFY', ['Event: refer;id=2', 'Subscription-State: terminated;reason=noresource'], '', ';tag=other'),
  request('PRACK', ['RAck: 1 1 INVITE'], '', ';tag=other'),
  request('UPDATE', [CONTACT], SDP_EXAMPLE, ';tag=other'),
  request('REFER', ['Refer-To: <sip:x@127.0.0.1>'], '', ';tag=other'),
];

/** A response to the request; its Via, From, To, Call-ID and CSeq are the request's. */
export function responseExample(toRequest: string, status: string, tag: string, body: string): string {
  const copied = toRequest.split('\r\n').filter((line) => /^(?:Via|From|To|Call-ID|CSeq|Record-Route):/i.test(line));
  const withTag = copied.map((line) => (/^To:/i.test(line) && !line.includes(';tag=') ? `${line};tag=${tag}` : line));
  return lines(
    `SIP/2.0 ${status}`,
    ...withTag,
    'Contact: <sip:callee@127.0.0.1:9>',
    'Supported: timer',
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  );
}

export const STATUSES = [
  '100 Trying',
  '180 Ringing',
  '183 Session Progress',
  '200 OK',
  '202 Accepted',
  '302 Moved',
  '401 Unauthorized',
  '407 Proxy Authentication Required',
  '422 Session Interval Too Small',
  '486 Busy Here',
  '491 Request Pending',
  '503 Service Unavailable',
  '699 Odd',
];
