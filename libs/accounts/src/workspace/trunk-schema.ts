import { allowList } from '@app/common';
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { LONGEST_EXTENSION } from '../domain/destination-policy.js';
import { SRTP_POLICIES, TRANSFER_METHODS, TRUNK_TRANSPORTS } from '../trunks/sip-trunk.entity.js';
import { flag, list, name, node, rate, report, sipToken, text, whole } from './schema-types.js';

const CODECS = ['PCMU', 'PCMA', 'G722'] as const;
const MAX_TARGETS = 20;
const MAX_HEADERS = 20;

const oneOf = <T extends string>(values: readonly [T, ...T[]]) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);

const host = sipToken(253)
  .transform((value) => value.replace(/^\[|\]$/g, ''))
  .refine((value) => !value.includes(':') || isIPv6(value), 'must be a host name or an address, with its port in port');
const port = whole(1, 65_535).nullish();
const transport = oneOf(TRUNK_TRANSPORTS).optional();

const target = node({ host, port, transport, priority: whole(0, 65_535).default(0) });

const PEM_FORMS = 'must be PEM text (-----BEGIN …) or { file: path }, with a path relative to this file';
/** PEM text, or the path of its file. */
const pem = z
  .union([text(100_000).includes('-----BEGIN ', PEM_FORMS), node({ file: text(1_024).min(1, 'must not be empty') })], {
    error: PEM_FORMS,
  })
  .nullish();

const tls = node({ ca: pem, cert: pem, key: pem, server_name: sipToken(253).nullish() })
  .refine(({ cert, key }) => !cert === !key, 'needs both cert and key, or neither of them')
  .nullish();

/** Allowed headers besides X-…: proxies do not interpret them. */
const PASSABLE = ['User-to-User', 'Subject', 'Organization'];
const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;

const headers = z
  .record(z.string(), text(128).min(1, 'must not be empty'), 'must be a map of header names and metadata keys')
  .superRefine((map, context) => {
    const names = Object.keys(map);
    if (names.length > MAX_HEADERS) report(context, `must not have more than ${MAX_HEADERS} headers`);
    for (const one of names) {
      const message = headerProblem(one, names);
      if (message) context.addIssue({ code: 'custom', message, path: [one] });
    }
  })
  .nullish();

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
  .refine((all) => new Set(all).size === all.length, 'must not name a codec twice')
  .nullish();

/** An address or a network, but not the whole Internet, from which every request would belong to the trunk. */
function isNetwork(value: string): boolean {
  try {
    return allowList([value]).every(([, bits]) => bits >= 8);
  } catch {
    return false;
  }
}

const network = text(64).refine(isNetwork, 'must be an address or a network such as "203.0.113.0/24"');

const inbound = node({
  enabled: flag.default(true),
  addresses: list(network),
  username: sipToken(128).nullish(),
  password: text(256).min(8, 'must have at least 8 characters').nullish(),
})
  .refine(({ username, password }) => !username === !password, 'needs both username and password, or neither of them')
  .refine(({ addresses, username }) => addresses.length > 0 || username, 'needs addresses, or username and password')
  .nullish();

const digits = whole(1, LONGEST_EXTENSION);
const dialFormats = node({
  extensions: node({ min_digits: digits.default(2), max_digits: digits }).refine(
    ({ min_digits, max_digits }) => min_digits <= max_digits,
    'must have a min_digits that is not greater than its max_digits',
  ),
}).nullish();

export const trunk = node({
  name,
  host: host.optional(),
  port,
  transport,
  targets: z
    .array(target, 'must be a list of targets')
    .min(1, 'must have at least one target')
    .max(MAX_TARGETS, `must not have more than ${MAX_TARGETS} targets`)
    .optional(),
  tls,
  username: sipToken(128).nullish(),
  password: text(256).nullish(),
  from_domain: sipToken(253).nullish(),
  assert_identity: flag.optional(),
  user_phone: flag.optional(),
  headers,
  codecs,
  srtp: oneOf(SRTP_POLICIES).optional(),
  transfer: oneOf(TRANSFER_METHODS).optional(),
  livekit_trunk_id: text(64)
    .regex(/^ST_\w+$/, 'must be the id of an outbound trunk of LiveKit, such as ST_abc123')
    .nullish(),
  dial_formats: dialFormats,
  options_ping_seconds: whole(0, 86_400)
    .refine((seconds) => seconds === 0 || seconds >= 10, 'must be 0 (off) or at least 10')
    .optional(),
  active: flag.optional(),
  concurrent_calls: whole(1, 10_000).nullish(),
  calls_per_second: rate.nullish(),
  inbound,
}).superRefine((value, context) => {
  const fault = (key: string, message: string) => context.addIssue({ code: 'custom', message, path: [key] });
  if (value.host === undefined && !value.targets) fault('host', 'is missing: a trunk has a host, or a list of targets');
  if (value.tls && !mayUseTls(value.targets ?? [value])) fault('tls', 'requires a target with the transport tls');
  if (!value.targets) return;
  const beside = (['host', 'port', 'transport'] as const).filter((key) => value[key] !== undefined);
  for (const key of beside) fault(key, 'must be set in the targets when there is a list of targets');
});

/** A target in a list without a transport uses TLS when the trunk has TLS settings; a single host without a transport uses UDP. */
const mayUseTls = (targets: { transport?: string; priority?: number }[]): boolean =>
  targets.some(({ transport, priority }) => transport === 'tls' || (transport === undefined && priority !== undefined));

export type TrunkNode = z.output<typeof trunk>;
export type TlsNode = NonNullable<TrunkNode['tls']>;
