import { allowList } from '@app/common';
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { MAX_EXTENSION_LENGTH } from '../domain/destination-policy.js';
import { SRTP_POLICIES, TRANSFER_METHODS, TRUNK_TRANSPORTS } from './sip-trunk.entity.js';
import {
  coded,
  flag,
  list,
  name,
  node,
  rate,
  report,
  reportMissing,
  sipToken,
  text,
  whole,
} from '@app/common/field-schemas';

const CODECS = ['PCMU', 'PCMA', 'G722'] as const;
const MAX_TARGETS = 20;
const MAX_HEADERS = 20;

const oneOf = <T extends string>(values: readonly [T, ...T[]]) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);

const host = sipToken(253)
  .transform((value) => value.replace(/^\[|\]$/g, ''))
  .refine(
    (value) => value !== '' && (!value.includes(':') || isIPv6(value)),
    'must be a host name or an address, with its port in port',
  );
const port = whole(1, 65_535).nullish();
const transport = oneOf(TRUNK_TRANSPORTS).optional();

const target = node({
  host: host.describe('Host name or IP address.'),
  port: port.describe('Port; null: DNS or the transport determines it.'),
  transport: transport.describe('udp, tcp or tls; absent: DNS determines it (RFC 3263).'),
  priority: whole(0, 65_535).default(0).describe('Targets with lower values are tried first.'),
});

const pemText = (problem: string) => text(100_000).regex(/-----BEGIN /, problem);

const PEM_FORMS = 'must be PEM text (-----BEGIN …) or { file: path }, with a path relative to this file';
/** PEM text, or the path of its file. */
const pemOrFile = z
  .union(
    [
      pemText(PEM_FORMS),
      node({ file: text(1_024).min(1, 'must not be empty').describe('Path relative to the workspace file.') }),
    ],
    { error: PEM_FORMS },
  )
  .nullish();
/** Over the API: a path would be one of the server. */
const pemOnly = pemText('must be PEM text (-----BEGIN …)').nullish();

type Pem = typeof pemOnly | typeof pemOrFile;

const tlsOf = (pem: Pem) =>
  node({
    ca: pem.describe('Trusted authorities in PEM instead of those of the system.'),
    cert: pem.describe('Client certificate in PEM, with its chain.'),
    key: pem.describe('Its unencrypted private key in PEM; stored encrypted and never shown.'),
    server_name: sipToken(253).nullish().describe('Name expected in the certificate of the carrier; null: the host.'),
  })
    .refine(
      (tls: { cert?: unknown; key?: unknown }) => !tls.cert === !tls.key,
      'needs both cert and key, or neither of them',
    )
    .nullish();

/** Allowed headers besides X-…: proxies do not interpret them. */
const PASSABLE = ['User-to-User', 'Subject', 'Organization'];
const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;

/** A map of header names. */
const headersWith = (value: z.ZodType<string>, problem: string) =>
  z
    .record(z.string(), value, problem)
    .superRefine((map, context) => {
      const names = Object.keys(map);
      if (names.length > MAX_HEADERS) report(context, `must not have more than ${MAX_HEADERS} headers`);
      for (const one of names) {
        const message = headerProblem(one, names);
        if (message) context.addIssue({ code: 'custom', message, path: [one] });
      }
    })
    .nullish();

/** Headers of an INVITE by name, with the metadata keys of their values. */
export const inviteHeaders = headersWith(
  text(128).min(1, 'must not be empty'),
  'must be a map of header names and metadata keys',
);

/** Headers by name, with the names under which a call has their values. */
const namedHeaders = headersWith(
  text(64).regex(/^[a-z_]\w*$/i, 'must be letters, digits and underscores, such as customer_id'),
  'must be a map of header names and names of variables',
);

function headerProblem(header: string, all: string[]): string | undefined {
  const lower = header.toLowerCase();
  if (!HEADER_NAME.test(header)) return 'must be 1 to 64 letters, digits or hyphens';
  if (!/^x-./.test(lower) && !PASSABLE.some((one) => one.toLowerCase() === lower))
    return `must start with X- or be one of ${PASSABLE.join(', ')}`;
  return all.filter((one) => one.toLowerCase() === lower).length > 1 ? 'is given more than once' : undefined;
}

const codecs = z
  .array(z.enum(CODECS, `must be one of ${CODECS.join(', ')}`), 'must be a list of codecs, the preferred one first')
  .min(1, 'must name at least one codec')
  .refine((all) => new Set(all).size === all.length, coded('duplicate', 'must not name a codec twice'))
  .nullish();

/** An address or a network, but not the whole Internet, from which every request would belong to the trunk. */
function isNetwork(value: string): boolean {
  try {
    return allowList([value]).every(([, bits]) => bits >= 8);
  } catch {
    return false;
  }
}

const network = text(64).refine(
  isNetwork,
  coded('invalid_format', 'must be an address or a network such as "203.0.113.0/24"'),
);

const inbound = node({
  enabled: flag.default(true).describe('Whether the trunk accepts inbound calls.'),
  addresses: list(network).describe('Addresses and networks whose requests belong to the trunk.'),
  username: sipToken(128).nullish().describe('Digest user of requests from other addresses.'),
  password: text(256)
    .min(8, 'must have at least 8 characters')
    .nullish()
    .describe('Digest password of these requests; stored encrypted and never shown.'),
})
  .refine(
    ({ username, password }) => !username === !password,
    coded('not_allowed', 'needs both username and password, or neither of them'),
  )
  .refine(
    ({ addresses, username }) => addresses.length > 0 || username,
    coded('not_allowed', 'needs addresses, or username and password'),
  )
  .nullish();

const digits = whole(1, MAX_EXTENSION_LENGTH);
const dialFormats = node({
  extensions: node({
    min_digits: digits.default(2).describe('Minimum number of digits.'),
    max_digits: digits.describe('Maximum number of digits.'),
  })
    .refine(
      ({ min_digits, max_digits }) => min_digits <= max_digits,
      'must have a min_digits that is not greater than its max_digits',
    )
    .describe('User parts of digits only, such as sip:1001@….'),
}).nullish();

const register = node({
  expires: whole(60, 86_400).default(3_600).describe('Requested lifetime of the registration in seconds.'),
  outbound_proxy: node({
    host: host.describe('Host name or IP address.'),
    port: port.describe('Port; null: DNS or the transport determines it.'),
    transport: transport.describe('udp, tcp or tls; absent: DNS determines it (RFC 3263).'),
  })
    .nullish()
    .describe('Server that takes the REGISTER instead of the targets of the trunk.'),
  contact_user: sipToken(64)
    .nullish()
    .describe(
      'User part of the registered address, to which the carrier sends calls; null: a random one. Set it to a number of the account when the carrier names the called number nowhere else.',
    ),
}).nullish();

const trunkOf = (pem: Pem) =>
  node({
    name: name.describe('Name of the trunk, unique in the account.'),
    host: host.optional().describe('Host name or IP address of the carrier; absent with targets.'),
    port: port.describe('Port of the host; null: DNS or the transport determines it.'),
    transport: transport.describe('udp (the default), tcp or tls to the host.'),
    targets: z
      .array(target, 'must be a list of targets')
      .min(1, 'must have at least one target')
      .max(MAX_TARGETS, `must not have more than ${MAX_TARGETS} targets`)
      .optional()
      .describe('Hosts of a carrier that has several, instead of host, port and transport.'),
    tls: tlsOf(pem).describe('TLS settings for targets with the transport tls; null clears them.'),
    username: sipToken(128).nullish().describe('User name of the digest credentials.'),
    password: text(256).nullish().describe('Password of the digest credentials; stored encrypted and never shown.'),
    from_domain: sipToken(253).nullish().describe('Host of the From header; null: the address of this service.'),
    assert_identity: flag.optional().describe('Whether calls carry P-Asserted-Identity with the calling number.'),
    user_phone: flag.optional().describe('Whether SIP URIs of phone numbers carry user=phone.'),
    headers: inviteHeaders.describe('INVITE headers, each with the metadata key of the call that provides its value.'),
    inbound_headers: namedHeaders.describe(
      'Headers of an incoming INVITE, each with the name of its value in `metadata.sip` of the call and, if the agent declares it, in its variables. Callers may write anything into them.',
    ),
    end_headers: namedHeaders.describe(
      'Headers of the BYE and the REFER of the service, each with the name of the variable of the call that provides its value.',
    ),
    codecs: codecs.describe('Codecs in order of preference; null: the defaults of the dialer.'),
    srtp: oneOf(SRTP_POLICIES).optional().describe('SRTP policy for the audio: off, optional or required.'),
    transfer: oneOf(TRANSFER_METHODS)
      .optional()
      .describe('bridge: a second leg of this service; refer: the carrier places the second call.'),
    livekit_trunk_id: text(64)
      .regex(/^ST_\w+$/, 'must be the id of an outbound trunk of LiveKit, such as ST_abc123')
      .nullish()
      .describe('With ENGINE=livekit: the outbound trunk of LiveKit that is used instead of these settings.'),
    dial_formats: dialFormats.describe('Destinations that the trunk accepts besides E.164 numbers and names.'),
    response_timeout_seconds: whole(8, 32)
      .nullish()
      .describe(
        'Seconds from the INVITE to the last target until a call without any response ends as no_response; null: 32.',
      ),
    options_ping_seconds: whole(0, 86_400)
      .refine((seconds) => seconds === 0 || seconds >= 10, coded('out_of_range', 'must be 0 (off) or at least 10'))
      .optional()
      .describe('Seconds between two health checks by OPTIONS; 0: off, otherwise at least 10.'),
    active: flag.optional().describe('false: the trunk carries no calls.'),
    concurrent_calls: whole(1, 10_000).nullish().describe('Live calls at most; null: no limit.'),
    calls_per_second: rate.nullish().describe('New calls per second at most; null: no limit.'),
    register: register.describe('Registration at the carrier (REGISTER), over which calls arrive; null: none.'),
    inbound: inbound.describe('Inbound calls over the trunk; null: none are accepted.'),
  }).superRefine((value, context) => {
    const fault = (key: string, message: string) => context.addIssue({ code: 'custom', message, path: [key] });
    if (value.host === undefined && !value.targets)
      reportMissing(context, 'host', 'a trunk has a host, or a list of targets');
    if (value.register && !(value.username && value.password)) fault('register', 'needs username and password');
    if (value.tls && !mayUseTls(value.targets ?? [value])) fault('tls', 'requires a target with the transport tls');
    if (!value.targets) return;
    const beside = (['host', 'port', 'transport'] as const).filter((key) => value[key] !== undefined);
    for (const key of beside) fault(key, 'must be set in the targets when there is a list of targets');
  });

/** A trunk of a workspace file. */
export const trunk = trunkOf(pemOrFile);
/** A trunk of the API. */
export const apiTrunk = trunkOf(pemOnly);

/** A target in a list without a transport uses TLS when the trunk has TLS settings; a single host without a transport uses UDP. */
const mayUseTls = (targets: { transport?: string; priority?: number }[]): boolean =>
  targets.some(({ transport, priority }) => transport === 'tls' || (transport === undefined && priority !== undefined));

export type TrunkNode = z.output<typeof trunk>;
export type TlsNode = NonNullable<TrunkNode['tls']>;
